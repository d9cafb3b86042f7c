import { type Logger, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';

/**
 * An epoch is one life of the server: it ends when the server restarts, restarts itself after a backend died, or a
 * standby is promoted. Marks that were written without waiting for the disk may be lost with it, and every session is.
 * See docs/decisions/0016.
 */
export interface Epoch {
  id: string;
  /** How many claims were counted as begun by this call; null where the epoch was known. */
  marked: number | null;
}

/**
 * The first call in an epoch counts everything claimed as begun. Called before a worker is judged, and again within the
 * transaction that takes it over. Marks of the embedded store hold: it waits for each.
 */
export async function recognizeEpoch(database: Queryable, kind: Database['kind']): Promise<Epoch> {
  const { rows } = await database.query<Epoch>(RECOGNIZE, [kind === 'pglite']);
  if (!rows[0]) throw new PostriderError('INTERNAL', 'The epoch of the server could not be recognized.');
  return rows[0];
}

/** Says so where it concerned any email. */
export function logEpoch({ marked }: Epoch, logger: Logger): void {
  if (marked) logger.warn({ marked }, 'database server restarted: claimed emails count as begun');
}

const RECOGNIZE = {
  name: 'outbox_recognize_epoch',
  text: 'select epoch as id, marked from postrider.recognize_epoch($1::boolean)',
};

/** True where the current epoch has been recognized: then no claim lacks a mark that was lost. */
export const EPOCH_IS_KNOWN = `exists (
  select 1 from postrider.server_epoch e
  where e.server_started_at = pg_postmaster_start_time()
    and e.database_oid = (select d.oid from pg_database d where d.datname = current_database()))`;
