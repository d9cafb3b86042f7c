import type { Database } from '../store/index.js';
import type { Claim } from './claim-batch.js';
import type { ClaimRef } from './release-claims.js';
import { claimStatement, withoutWaiting } from './without-waiting.js';

/**
 * Marks opened claims as begun: from here on they may have been delivered. Returns those that are still this worker's;
 * the others were cancelled or taken over, or are being so, and must not be sent. `atMostOnce` waits for the disk, because after a restart
 * of the database such an email must not be taken for one that never left.
 */
export async function beginClaims(
  database: Database,
  worker: number,
  claims: readonly ClaimRef[],
  { atMostOnce }: Pick<Claim, 'atMostOnce'>,
): Promise<Set<string>> {
  const list = (values: Array<string | number>) => database.list?.(values) ?? values;
  const ids = claims.map((claim) => claim.id);
  const { rows } = await withoutWaiting<{ count: number; begun: string[] | null }>(database, BEGIN, [
    list(ids),
    list(claims.map((claim) => claim.token)),
    worker,
    database.kind === 'pglite' || atMostOnce ? 'on' : 'off',
  ]);
  const { count, begun } = rows[0]!;
  return new Set(count === ids.length ? ids : begun);
}

// One row: nearly always all of them have begun, and their ids are known.
const BEGIN = claimStatement({
  name: 'outbox_begin_claims',
  set: 'begun = true',
  returning: 'q.id',
  rest: `select count(*)::int as count, case when count(*) < cardinality($1::uuid[]) then array_agg(id::text) end as begun
    from changed`,
});

/** From here on other emails are prepared beside this one, which an `alone` claim was opened without. */
export async function endAlone(database: Database, worker: number, { id, token }: ClaimRef): Promise<void> {
  await database.query(END_ALONE, [id, token, worker]);
}

const END_ALONE = {
  name: 'outbox_end_alone',
  text: `update postrider.email_queue set alone = false where id = $1 and token = $2 and owner = $3 and alone`,
};
