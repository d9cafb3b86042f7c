import { delay } from './clock.js';
import type { Lifecycle } from './lifecycle.js';
import { Signal } from './signal.js';

/**
 * Work that is done round by round for as long as a process lives: look, do, rest, look again. A ring ends a rest; the
 * rest after a failure is kept whole, so that what is away is not asked with every ring. Stopping lets the round that
 * runs come to its end.
 */
export interface RoundsOptions {
  /** One round; how long to rest after it, where 0 is not at all. */
  round(signal: AbortSignal): Promise<number>;
  /** What failed, told; how long to rest then. Not called once it is stopping. */
  onFailure(error: unknown): number;
  /** Before the first round. Defaults to 0. */
  firstAfterMs?: number;
}

export interface Rounds extends Lifecycle {
  /** Look now. One that comes during a round is kept for after it. */
  ring(): void;
}

export function inRounds({ round, onFailure, firstAfterMs = 0 }: RoundsOptions): Rounds {
  const changed = new Signal();
  let stopping: AbortController | null = null;
  let running: Promise<void> = Promise.resolve();

  async function loop(signal: AbortSignal): Promise<void> {
    if (firstAfterMs > 0) await changed.wait(firstAfterMs);
    while (!signal.aborted) {
      try {
        const restMs = await round(signal);
        if (restMs > 0 && !signal.aborted) await changed.wait(restMs);
      } catch (error) {
        if (!signal.aborted) await delay(onFailure(error), signal);
      }
    }
  }

  return {
    async start() {
      if (stopping) return;
      stopping = new AbortController();
      running = loop(stopping.signal);
    },
    async stop() {
      stopping?.abort();
      changed.notify();
      await running;
      stopping = null;
    },
    ring: () => changed.notify(),
  };
}
