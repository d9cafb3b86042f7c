import { PostriderError } from '../kernel/index.js';
import type { Queryable } from './database.js';

/** The id a store was given when it was made. A copy of the database is the same store to everyone else. */
export async function readStoreId(database: Queryable): Promise<string> {
  const { rows } = await database.query<{ id: string }>('select id from postrider.store_identity');
  if (rows[0]) return rows[0].id;
  throw new PostriderError('STORE_NOT_MIGRATED', 'The store has no id: postrider.store_identity is empty.');
}
