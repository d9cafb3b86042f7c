import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type Clock, silentLogger } from '../kernel/index.js';
import type { Database, Session } from '../store/index.js';
import { takeLease, type WorkerLease } from './worker-lease.js';

/**
 * How long a worker may deliver after its last acknowledged beat, on a session and clocks that are moved by hand. Other
 * processes take its emails over 1.2 s after that beat; from one second on it must send none.
 */
let wall: number;
let monotonic: number;
const clock: Clock = { now: () => wall, monotonic: () => monotonic };
let lease: WorkerLease | null;

beforeEach(() => {
  vi.useFakeTimers();
  wall = Date.UTC(2026, 0, 1);
  monotonic = 5_000_000;
  lease = null;
});
afterEach(async () => {
  await lease?.end();
  vi.useRealTimers();
});

function pass(ms: number, { wallMs = ms }: { wallMs?: number } = {}): void {
  monotonic += ms;
  wall += wallMs;
}

/** Answers when it is told to; `answersAfter` moves the clocks between a beat and its acknowledgement. */
async function take({ embedded = false } = {}) {
  const held: Array<() => void> = [];
  const state = { answersAfterMs: 0, holds: false, taken: false, lost: 0 };
  const hears = new Map<string, () => void>();
  const session: Session = {
    embedded,
    async query(statement: unknown) {
      const text = typeof statement === 'string' ? statement : (statement as { text: string }).text;
      const isBeat = /set busy = \$3, beat_at = clock_timestamp\(\)\s+where/.test(text);
      if (isBeat) {
        pass(state.answersAfterMs);
        if (state.holds) await new Promise<void>((resolve) => held.push(resolve));
        if (state.taken) return { rows: [], rowCount: 0 };
      }
      return { rows: [{ id: 1, lease: 1 }], rowCount: 1 } as never;
    },
    async listen(channel: string, onNotify: () => void) {
      hears.set(channel, onNotify);
    },
    onLost() {},
    async close() {},
  } as unknown as Session;
  const database = {
    openSession: async () => session,
    pooling: async () => null,
    async query(_statement: unknown, values: unknown[] = []) {
      hears.get(values[0] as string)?.();
      return { rows: [], rowCount: 0 };
    },
  } as unknown as Database;
  lease = await takeLease({
    ...{ database, instance: 'test', host: 'test', pid: 1, clock, random: () => 0, logger: silentLogger },
    ...{ onBell() {}, onBellForAnother() {}, onOwed() {}, onOwedForAnother() {}, isBusy: () => false },
    onLost: () => {
      state.lost += 1;
    },
  });
  /** The next beat is due, sent and, unless held, answered. */
  const beat = () => vi.advanceTimersByTimeAsync(500);
  const answer = (): void => {
    for (const resolve of held.splice(0)) resolve();
  };
  return { lease, state, beat, answer };
}

describe('a worker whose beats are no longer acknowledged', () => {
  test('999 ms after the last → may deliver; 1,000 ms after it → may not', async () => {
    const { lease } = await take();
    expect(lease.mayDeliver()).toBe(true);
    pass(999);
    expect(lease.mayDeliver()).toBe(true);
    pass(1);
    expect(lease.mayDeliver()).toBe(false);
    pass(200);
    expect(lease.mayDeliver()).toBe(false);
    pass(3_600_000);
    expect(lease.mayDeliver()).toBe(false);
  });

  test('the monotonic clock stands still while wall time goes on, as in a suspended machine → may not', async () => {
    const { lease } = await take();
    pass(0, { wallMs: 999 });
    expect(lease.mayDeliver()).toBe(true);
    pass(0, { wallMs: 1 });
    expect(lease.mayDeliver()).toBe(false);
  });

  test('wall time stands still while the monotonic clock goes on → may not', async () => {
    const { lease } = await take();
    pass(999, { wallMs: 0 });
    expect(lease.mayDeliver()).toBe(true);
    pass(1, { wallMs: 0 });
    expect(lease.mayDeliver()).toBe(false);
  });

  test('wall time was set back while the monotonic clock goes on → may not', async () => {
    const { lease } = await take();
    pass(1000, { wallMs: -60_000 });
    expect(lease.mayDeliver()).toBe(false);
  });
});

describe('when a beat counts from', () => {
  test('answered 900 ms after it was sent → the worker may deliver for another 100 ms only', async () => {
    const { lease, state, beat } = await take();
    pass(500);
    state.answersAfterMs = 900;
    await beat();
    pass(99);
    expect(lease.mayDeliver()).toBe(true);
    pass(1);
    expect(lease.mayDeliver()).toBe(false);
  });

  test('answered after more than a second → it renews nothing', async () => {
    const { lease, state, beat } = await take();
    state.answersAfterMs = 1000;
    await beat();
    expect(lease.mayDeliver()).toBe(false);
  });

  test('sent and not yet answered → the one before it counts', async () => {
    const { lease, state, beat, answer } = await take();
    state.holds = true;
    pass(500);
    await beat();
    pass(499);
    expect(lease.mayDeliver()).toBe(true);
    pass(1);
    expect(lease.mayDeliver()).toBe(false);
    answer();
    await vi.advanceTimersByTimeAsync(0);
    expect(lease.mayDeliver()).toBe(true);
    pass(499);
    expect(lease.mayDeliver()).toBe(true);
    pass(1);
    expect(lease.mayDeliver()).toBe(false);
    state.holds = false;
  });

  test('every half second → may deliver all the while', async () => {
    const { lease, beat } = await take();
    for (let n = 0; n < 10; n++) {
      pass(500);
      expect(lease.mayDeliver()).toBe(true);
      await beat();
    }
  });
});

test('another process has taken over → delivers no more at once, and is notified once', async () => {
  const { lease, state, beat } = await take();
  state.taken = true;
  pass(500);
  await beat();
  expect([lease.mayDeliver(), lease.held(), state.lost]).toEqual([false, false, 1]);
});

test('no other process can share the store → no clock counts', async () => {
  const { lease } = await take({ embedded: true });
  pass(3_600_000);
  expect(lease.mayDeliver()).toBe(true);
});
