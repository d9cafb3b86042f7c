import { delay, type Lifecycle, type Logger, messageOf } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { tallyEnds } from './tally-ends.js';

/** Counts what has ended every half minute, and sooner while much ends: what is not tallied is counted by whoever looks. What cannot be counted now is counted next time. */
export function createTallier({ database, logger }: { database: Database; logger: Logger }): Lifecycle {
  let stopping: AbortController | null = null;
  let running: Promise<void> = Promise.resolve();

  async function loop(signal: AbortSignal): Promise<void> {
    let pauseMs = EVERY_MS;
    while (!signal.aborted) {
      await delay(pauseMs, signal);
      if (signal.aborted) return;
      try {
        pauseMs = (await tallyEnds(database)) > MANY ? BUSY_EVERY_MS : EVERY_MS;
      } catch (error) {
        if (!signal.aborted) logger.warn({ err: messageOf(error) }, 'ends could not be counted');
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
      stopping = null;
      await running;
    },
  };
}

const EVERY_MS = 30_000;
const BUSY_EVERY_MS = 5000;
/** Tallies that changed, of any number of emails each. */
const MANY = 100;
