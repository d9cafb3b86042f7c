import { inRounds, type Lifecycle, type Logger, messageOf } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { tallyEnds } from './tally-ends.js';

/** Counts what has ended every half minute, and sooner while much ends: what is not tallied is counted by whoever looks. What cannot be counted now is counted next time. */
export function createTallier({ database, logger }: { database: Database; logger: Logger }): Lifecycle {
  return inRounds({
    firstAfterMs: EVERY_MS,
    round: async (signal) => ((await tallyEnds(database, { signal })) > MANY ? BUSY_EVERY_MS : EVERY_MS),
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'ends could not be counted');
      return EVERY_MS;
    },
  });
}

const EVERY_MS = 30_000;
const BUSY_EVERY_MS = 5000;
/** Tallies that changed, of any number of emails each. */
const MANY = 100;
