import { isPostriderError, type Logger, PostriderError } from './kernel/index.js';
import {
  checkSchema,
  claimStoreRegion,
  type Database,
  type MigrationProgress,
  migrate,
} from './store/index.js';

/**
 * A store made fit for use: its schema as this code needs it, and its region the one it is opened as. Migrations run
 * only where they are missing, so that a role without the right to alter can work. What a pooler does is known before the
 * first prepared statement.
 */
export async function prepareStore(
  database: Database,
  { region, logger }: { region: string | null; logger: Logger },
): Promise<Database> {
  try {
    await checkSchema(database.prompt());
  } catch (error) {
    if (!(error instanceof PostriderError) || error.code !== 'STORE_NOT_MIGRATED') throw error;
    await makeSchema(database, error, logger);
  }
  await database.pooling();
  if (region !== null) await claimStoreRegion(database.prompt(), region);
  return database;
}

function logWaiting(logger: Logger, progress: MigrationProgress): void {
  if (progress.state !== 'waiting') return;
  const { migration, waitedMs } = progress;
  // Their statements may hold what belongs in no log; `postrider migrate` shows them.
  const blockers = progress.blockers.map(({ query: _, ...blocker }) => blocker);
  logger.warn({ migration, waitedMs, blockers }, 'a migration waits for a lock');
}

async function makeSchema(database: Database, missing: PostriderError, logger: Logger): Promise<void> {
  try {
    await migrate(database, { onProgress: (progress) => logWaiting(logger, progress) });
  } catch (error) {
    if (!isPostriderError(error) || error.code !== 'STORE_REFUSED') throw error;
    throw new PostriderError(
      'STORE_NOT_MIGRATED',
      `${missing.message} This role may not change that: ${error.message}`,
      { cause: error },
    );
  }
}
