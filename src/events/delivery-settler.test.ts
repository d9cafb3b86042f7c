import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PostriderError, silentLogger } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { createDeliverySettler } from './delivery-settler.js';
import type { DeliveryResult } from './settle-deliveries.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const answer = { httpStatus: 200, response: '', error: null, retryAfterMs: null, durationMs: 1 };
const result = (id: string): DeliveryResult => ({
  ...{ delivery: { id, token: 1 }, ok: true, answer, retryInMs: null, sentAt: new Date(0) },
});

/** Every id is settled but those that `answers` throws for. */
function settlerOn(answers: (ids: string[]) => void = () => {}) {
  const batches: number[] = [];
  let written = 0;
  const query = async (_statement: unknown, [ids]: [string[]]) => {
    batches.push(ids.length);
    answers(ids);
    return { rows: ids.map((id) => ({ id, overdue: false })) };
  };
  const settler = createDeliverySettler({
    database: async () => ({ query }) as unknown as Database,
    failingForMs: 1000,
    inTurn: (work) => work(),
    onWritten: () => {
      written += 1;
    },
    ...{ random: () => 0, logger: silentLogger },
  });
  return { settler, batches, written: () => written };
}

test('a hundred answered requests → one transaction, not one each; a few → together after ten milliseconds', async () => {
  const { settler, batches, written } = settlerOn();
  const many = Array.from({ length: 100 }, (_, n) => settler.settle(result(`${n}`)));
  await vi.advanceTimersByTimeAsync(0);
  expect(await Promise.all(many)).toHaveLength(100);
  expect([batches, written()]).toEqual([[100], 1]);
  const few = [settler.settle(result('a')), settler.settle(result('b'))];
  await vi.advanceTimersByTimeAsync(9);
  expect(batches).toEqual([100]);
  await vi.advanceTimersByTimeAsync(1);
  expect(await Promise.all(few)).toEqual([{ overdue: false }, { overdue: false }]);
  expect(batches).toEqual([100, 2]);
});

test('the database is away → results are kept and written when it is back; abandoned → given up', async () => {
  let away = true;
  const { settler, batches } = settlerOn(() => {
    if (away) throw new PostriderError('STORE_UNAVAILABLE', 'away');
  });
  const kept = settler.settle(result('a'));
  await vi.advanceTimersByTimeAsync(10);
  expect(batches).toEqual([1]);
  away = false;
  await vi.advanceTimersByTimeAsync(1000);
  expect(await kept).toEqual({ overdue: false });
  away = true;
  const lost = expect(settler.settle(result('b'))).rejects.toThrow('away');
  await vi.advanceTimersByTimeAsync(10);
  settler.abandon();
  await vi.advanceTimersByTimeAsync(0);
  await lost;
});

test('one result the database refuses → its neighbours are written, and it alone is given up', async () => {
  const { settler } = settlerOn((ids) => {
    if (ids.includes('odd')) throw new Error('refused');
  });
  const odd = expect(settler.settle(result('odd'))).rejects.toThrow('refused');
  const others = ['a', 'b', 'c', 'd'].map((id) => settler.settle(result(id)));
  await vi.advanceTimersByTimeAsync(10);
  expect(await Promise.all(others)).toHaveLength(4);
  await odd;
});
