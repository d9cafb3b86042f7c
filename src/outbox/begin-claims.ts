import type { Database } from '../store/index.js';
import type { Claim } from './claim-batch.js';
import type { ClaimRef } from './release-claims.js';

/**
 * Marks opened claims as begun: from here on they may have been delivered. Returns those that are still this worker's;
 * the others were cancelled or taken over and must not be sent. `atMostOnce` waits for the disk, because after a restart
 * of the database such an email must not be taken for one that never left.
 */
export async function beginClaims(
  database: Database,
  worker: number,
  claims: readonly ClaimRef[],
  { atMostOnce }: Pick<Claim, 'atMostOnce'>,
): Promise<Set<string>> {
  const list = (values: Array<string | number>) => database.list?.(values) ?? values;
  const { rows } = await database.query<{ id: string }>(BEGIN, [
    list(claims.map((claim) => claim.id)),
    list(claims.map((claim) => claim.token)),
    worker,
    database.kind === 'pglite' || atMostOnce ? 'on' : 'off',
  ]);
  return new Set(rows.map(({ id }) => id));
}

const BEGIN = {
  name: 'outbox_begin_claims',
  text: `
    update postrider.email_queue q set begun = true
    from unnest($1::uuid[], $2::int[]) s(id, token),
      (select set_config('synchronous_commit', $4, true) as mode) durability
    where q.id = s.id and q.token = s.token and q.owner is not distinct from $3::int and durability.mode is not null
    returning q.id`,
};

/** From here on other emails are prepared beside this one, which an `alone` claim was opened without. */
export async function endAlone(database: Database, worker: number, { id, token }: ClaimRef): Promise<void> {
  await database.query(END_ALONE, [id, token, worker]);
}

const END_ALONE = {
  name: 'outbox_end_alone',
  text: `update postrider.email_queue set alone = false where id = $1 and token = $2 and owner = $3 and alone`,
};
