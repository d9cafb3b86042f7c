/**
 * The only source of time. Everything takes a Clock, so tests move time by hand
 * and a suspended process can compare wall time with monotonic time.
 */
export interface Clock {
  /** Wall time in milliseconds since the epoch. */
  now(): number;
  /** Milliseconds from an arbitrary start that never goes back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

/** Waits, or returns early (without throwing) when the signal aborts. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener('abort', done, { once: true });
  });
}

/** A clock for tests: stands still until it is moved. */
export class ManualClock implements Clock {
  constructor(private at = Date.UTC(2026, 0, 1)) {}
  private elapsed = 0;
  now(): number {
    return this.at + this.elapsed;
  }
  monotonic(): number {
    return this.elapsed;
  }
  advance(ms: number): void {
    this.elapsed += ms;
  }
}
