import { inRounds, type Lifecycle, type Logger, messageOf } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { prune, type Retention } from './prune.js';

/** Runs retention at start and every hour; what cannot be done now is tried again next time. */
export interface PrunerOptions {
  database: Database;
  retention: Retention;
  logger: Logger;
  /** What other rooms want done at the same rhythm. */
  also(): Promise<unknown>;
}

const EVERY_MS = 3_600_000;

export function createPruner({ database, retention, logger, also }: PrunerOptions): Lifecycle {
  return inRounds({
    async round() {
      const pruned = await prune(database, retention);
      await also();
      if (pruned.partitionsPostponed.length > 0)
        logger.info({ weeks: pruned.partitionsPostponed }, 'old weeks are in use; tried again in an hour');
      if (pruned.partitionsDropped.length > 0 || pruned.rowsDeleted > 0)
        logger.info({ ...pruned }, 'old emails removed');
      return EVERY_MS;
    },
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'retention failed');
      return EVERY_MS;
    },
  });
}
