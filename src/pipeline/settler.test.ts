import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { PostriderError, silentLogger } from '../kernel/index.js';
import type { Ledger, Settlement } from '../outbox/index.js';
import { createSettler } from './settler.js';

describe('settler', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const settlement = (id: string) => ({ id, token: 1 }) as Settlement;
  const ids = (settlements: readonly Settlement[]) => new Set(settlements.map(({ id }) => id));
  const away = new PostriderError('STORE_UNAVAILABLE', 'away');

  function settlerOn(parts: Partial<Ledger>, hurry = () => false) {
    return createSettler({ ledger: parts as Ledger, logger: silentLogger, random: () => 0, hurry });
  }

  test('fewer than a hundred → written together after ten milliseconds', async () => {
    const settle = vi.fn(async (batch: readonly Settlement[]) => ids(batch));
    const settler = settlerOn({ settle });
    const results = [settler.add(settlement('a')), settler.add(settlement('b'))];
    await vi.advanceTimersByTimeAsync(9);
    expect(settle).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all(results)).toEqual(['settled', 'settled']);
    expect(settle.mock.calls.map(([batch]) => batch.length)).toEqual([2]);
  });

  test('a hundred → written at once; more → in batches of a hundred, two at a time', async () => {
    const pending: Array<() => void> = [];
    const settle = vi.fn(
      (batch: readonly Settlement[]) =>
        new Promise<Set<string>>((resolve) => pending.push(() => resolve(ids(batch)))),
    );
    const settler = settlerOn({ settle });
    const results = Array.from({ length: 350 }, (_, i) => settler.add(settlement(`e${i}`)));
    expect(settle.mock.calls.map(([batch]) => batch.length)).toEqual([100, 100]);
    pending.shift()!();
    await vi.advanceTimersByTimeAsync(0);
    expect(settle).toHaveBeenCalledTimes(3);
    while (pending.length > 0) {
      pending.shift()!();
      await vi.advanceTimersByTimeAsync(10);
    }
    expect(new Set(await Promise.all(results))).toEqual(new Set(['settled']));
    expect(settle.mock.calls.map(([batch]) => batch.length)).toEqual([100, 100, 100, 50]);
  });

  test('a few beside a batch that is being written → written when it has come back, or when it is late', async () => {
    const pending: Array<() => void> = [];
    const settle = vi.fn(
      (batch: readonly Settlement[]) =>
        new Promise<Set<string>>((resolve) => pending.push(() => resolve(ids(batch)))),
    );
    const settler = settlerOn({ settle });
    const results = [settler.add(settlement('a'))];
    await vi.advanceTimersByTimeAsync(10);
    results.push(settler.add(settlement('b')));
    await vi.advanceTimersByTimeAsync(10);
    results.push(settler.add(settlement('c')));
    await vi.advanceTimersByTimeAsync(10);
    expect(settle).toHaveBeenCalledTimes(1);
    pending.shift()!();
    await vi.advanceTimersByTimeAsync(0);
    expect(settle.mock.calls.map(([batch]) => batch.length)).toEqual([1, 2]);
    results.push(settler.add(settlement('d')));
    await vi.advanceTimersByTimeAsync(50);
    expect(settle).toHaveBeenCalledTimes(3);
    for (const answer of pending) answer();
    expect(await Promise.all(results)).toEqual(['settled', 'settled', 'settled', 'settled']);
  });

  test('somebody waits for this very result → written without the ten milliseconds', async () => {
    const settler = settlerOn({ settle: async (batch) => ids(batch) }, () => true);
    const result = settler.add(settlement('a'));
    await vi.advanceTimersByTimeAsync(0);
    expect(await result).toBe('settled');
  });

  test('a row that belongs to someone else by now → fenced', async () => {
    const settler = settlerOn({ settle: async () => new Set(['mine']) });
    const results = [settler.add(settlement('mine')), settler.add(settlement('taken'))];
    await vi.advanceTimersByTimeAsync(10);
    expect(await Promise.all(results)).toEqual(['settled', 'fenced']);
  });

  test('the database is away → kept, tried once a second, written when it is back', async () => {
    const settle = vi
      .fn<Ledger['settle']>()
      .mockRejectedValueOnce(away)
      .mockRejectedValueOnce(away)
      .mockImplementation(async (batch) => ids(batch));
    const settler = settlerOn({ settle, findSettled: async () => new Set() });
    const result = settler.add(settlement('a'));
    await vi.advanceTimersByTimeAsync(10);
    expect(settle).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(999);
    expect(settle).toHaveBeenCalledTimes(1);
    await vi.advanceTimersByTimeAsync(1001);
    expect(settle).toHaveBeenCalledTimes(3);
    expect(await result).toBe('settled');
  });

  test('one result the database refuses → its neighbours are written, it is tried again on the side', async () => {
    let cured = false;
    const settle = vi.fn(async (batch: readonly Settlement[]) => {
      if (!cured && batch.some(({ id }) => id === 'bad')) throw new Error('invalid input');
      return ids(batch);
    });
    const settler = settlerOn({ settle, findSettled: async () => new Set() });
    const names = ['a', 'b', 'bad', 'c', 'd'];
    const results = new Map<string, string>();
    for (const id of names) settler.add(settlement(id)).then((result) => results.set(id, result));
    await vi.advanceTimersByTimeAsync(10);
    expect([...results.keys()].sort()).toEqual(['a', 'b', 'c', 'd']);
    const later = settler.add(settlement('later'));
    await vi.advanceTimersByTimeAsync(10);
    expect(await later).toBe('settled');
    cured = true;
    await vi.advanceTimersByTimeAsync(1500);
    expect(results.get('bad')).toBe('settled');
    await settler.drain();
  });

  test('the answer was lost but the write was not → settled, not fenced', async () => {
    const settle = vi
      .fn<Ledger['settle']>()
      .mockRejectedValueOnce(away)
      .mockImplementation(async () => new Set());
    const settler = settlerOn({ settle, findSettled: async () => new Set(['written']) });
    const results = [settler.add(settlement('written')), settler.add(settlement('taken'))];
    await vi.advanceTimersByTimeAsync(2000);
    expect(await Promise.all(results)).toEqual(['settled', 'fenced']);
  });

  test('abandoned while the database is away → given up at once and said so', async () => {
    const settler = settlerOn({ settle: () => Promise.reject(away), findSettled: async () => new Set() });
    const result = settler.add(settlement('a'));
    await vi.advanceTimersByTimeAsync(10);
    settler.abandon();
    await vi.advanceTimersByTimeAsync(0);
    expect(await result).toBe('abandoned');
  });

  test('drain → writes what waits without the ten milliseconds; with nothing → returns', async () => {
    const settle = vi.fn(async (batch: readonly Settlement[]) => ids(batch));
    const settler = settlerOn({ settle });
    await settler.drain();
    const result = settler.add(settlement('a'));
    await settler.drain();
    expect(settle).toHaveBeenCalledTimes(1);
    expect(await result).toBe('settled');
  });
});
