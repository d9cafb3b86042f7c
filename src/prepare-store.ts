import { PostriderError } from './kernel/index.js';
import { checkSchema, claimStoreRegion, type Database, migrate } from './store/index.js';

/**
 * A store made fit for use: its schema as this code needs it, and its region the one it is opened as. Migrations run
 * only where they are missing, so that a role without the right to alter can work.
 */
export async function prepareStore(database: Database, region: string | null): Promise<Database> {
  try {
    await checkSchema(database.prompt());
  } catch (error) {
    if (!(error instanceof PostriderError) || error.code !== 'STORE_NOT_MIGRATED') throw error;
    await migrate(database);
  }
  if (region !== null) await claimStoreRegion(database.prompt(), region);
  return database;
}
