import { delay, type Lifecycle, type Logger, messageOf } from '../kernel/index.js';
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

export function createPruner(options: PrunerOptions): Lifecycle {
  let stopping: AbortController | null = null;
  let running: Promise<void> = Promise.resolve();

  async function loop(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const pruned = await prune(options.database, options.retention);
        await options.also();
        if (pruned.partitionsPostponed.length > 0) {
          options.logger.info(
            { weeks: pruned.partitionsPostponed },
            'old weeks are in use; tried again in an hour',
          );
        }
        if (pruned.partitionsDropped.length > 0 || pruned.rowsDeleted > 0) {
          options.logger.info({ ...pruned }, 'old emails removed');
        }
      } catch (error) {
        if (!signal.aborted) options.logger.warn({ err: messageOf(error) }, 'retention failed');
      }
      await delay(EVERY_MS, signal);
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
