import type { Clock } from '../kernel/index.js';

/**
 * How many waits of retries are in a broker at once. They all come back when they are over, whatever waits by
 * then, so what exceeds the window waits in the ledger, where urgent emails and other companies go ahead of it.
 */
export interface WaitWindow {
  /** Whether one more fits; if so it counts until it is over. */
  take(waitMs: number): boolean;
}

export function createWaitWindow(limit: number, clock: Pick<Clock, 'monotonic'>): WaitWindow {
  /** By the second in which they are over. */
  const ends = new Map<number, number>();
  let count = 0;
  return {
    take(waitMs) {
      const now = clock.monotonic();
      for (const [second, over] of ends) {
        if (second >= Math.floor(now / 1000)) continue;
        ends.delete(second);
        count -= over;
      }
      if (count >= limit) return false;
      const end = Math.floor((now + waitMs) / 1000);
      ends.set(end, (ends.get(end) ?? 0) + 1);
      count += 1;
      return true;
    },
  };
}
