import { PostriderError } from '../kernel/index.js';
import type { Queryable } from './database.js';

/**
 * Which region a store is of, written in the store itself: the first process that opens it as a region names it, and
 * whoever comes with another name is refused before anything of a person is written there.
 */
export async function claimStoreRegion(database: Queryable, region: string): Promise<void> {
  if ((await readStoreRegion(database)) === null)
    await database.query('insert into postrider.store_region (name) values ($1) on conflict do nothing', [
      region,
    ]);
  await checkStoreRegion(database, region);
}

/** For a transaction someone else opened: that it is on the store of this region. */
export async function checkStoreRegion(database: Queryable, region: string): Promise<void> {
  const found = await readStoreRegion(database);
  if (found === region) return;
  const whose = found === null ? 'of no region yet' : `that of region ${found}`;
  throw new PostriderError('REGION_MISMATCH', `This database is ${whose}, not that of region ${region}.`, {
    field: 'region',
  });
}

async function readStoreRegion(database: Queryable): Promise<string | null> {
  const { rows } = await database.query<{ name: string }>(READ);
  return rows[0]?.name ?? null;
}

const READ = { name: 'store_region', text: 'select name from postrider.store_region' };
