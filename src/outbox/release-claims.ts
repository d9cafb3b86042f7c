import type { Queryable, Statement } from '../store/index.js';
import type { PauseScope } from './pauses.js';
import type { EmailStatus, EventType } from './transition-table.js';

/**
 * Ends claims without an attempt: gives rows back, sets them aside for a pause, or ends them with a
 * fact (expired, suppressed). None of these costs an attempt; all are fenced by the token.
 */
export interface ClaimRef {
  id: string;
  token: number;
}

/** Back to where it was, claimable at once or after a wait. Without a reason its journal says nothing of it. */
export async function releaseClaims(
  database: Queryable,
  worker: number,
  claims: readonly ClaimRef[],
  options: { why: string | null; delayMs?: number },
): Promise<number> {
  if (claims.length === 0) return 0;
  const { rowCount } = await database.query(RELEASE, [
    worker,
    options.why === null ? null : JSON.stringify({ why: options.why, worker }),
    options.delayMs ?? 0,
    claims.map((claim) => claim.id),
    claims.map((claim) => claim.token),
  ]);
  return rowCount;
}

/** `ours` names the rows; one that a caller's open transaction has locked is left for `releaseStrays`. */
const release = (name: string, ours: string): Statement => ({
  name,
  text: `
    with ours as materialized (
      ${ours} for update of q skip locked
    ), released as (
      update postrider.email_queue q
      set owner = null, claimed_at = null, opened = false, begun = false, alone = false, token = q.token + 1,
        ready = not q.suspect and $3::float8 = 0,
        due_at = case when $3::float8 > 0 then clock_timestamp() + $3::float8 * interval '1 millisecond' end
      from ours o where q.id = o.id
      returning q.id
    ), facts as (
      insert into postrider.email_facts (email_id, type, detail)
      select id, 'RELEASED', $2::text::jsonb from released where $2::text is not null
    )
    select id from released`,
});

const RELEASE = release(
  'outbox_release',
  `select q.id from unnest($4::uuid[], $5::int[]) s(id, token)
      join postrider.email_queue q on q.id = s.id and q.token = s.token and q.owner is not distinct from $1::int`,
);

/**
 * After a lost answer, or where a caller's transaction had it, this worker may own rows it does not hold, or had opened and
 * not attempted. Nothing of them went out, because what goes out is held until it is settled.
 */
export async function releaseStrays(
  database: Queryable,
  worker: number,
  held: readonly string[],
): Promise<number> {
  const why = 'its worker did not hold it: an answer of the database was lost, or a transaction had it';
  const detail = JSON.stringify({ why, worker });
  const { rowCount } = await database.query(RELEASE_STRAYS, [worker, detail, 0, held]);
  return rowCount;
}

const RELEASE_STRAYS = release(
  'outbox_release_strays',
  `select q.id from postrider.email_queue q where q.owner = $1::int and q.id <> all ($4::uuid[])`,
);

/** The pause that holds a claim, as the worker last read it. */
export interface Hold {
  scope: PauseScope;
  value: string;
  why: string;
}

/** Out of the way until the pause is lifted; back to where it was when it has been lifted already. */
export async function parkClaims(
  database: Queryable,
  worker: number,
  claims: readonly ClaimRef[],
  hold: Hold,
): Promise<number> {
  if (claims.length === 0) return 0;
  const { rowCount } = await database.query(PARK, [
    claims.map((claim) => claim.id),
    claims.map((claim) => claim.token),
    worker,
    JSON.stringify({ why: hold.why, worker }),
    hold.scope,
    hold.value,
  ]);
  return rowCount;
}

// The lock makes lifting the pause wait for this statement, or this one see that it is lifted: otherwise
// a row set aside a moment too late would stay so for ever.
const PARK = {
  name: 'outbox_park',
  text: `
    with holding as materialized (
      select 1 from postrider.pauses where scope = $5 and value = $6 for share
    ), parked as (
      update postrider.email_queue q
      set owner = null, claimed_at = null, opened = false, begun = false, alone = false, token = q.token + 1,
        parked = exists (select 1 from holding), parked_by = case when exists (select 1 from holding) then $5 || ':' || $6 end,
        ready = not q.suspect and not exists (select 1 from holding)
      from unnest($1::uuid[], $2::int[]) s(id, token)
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $3::int
      returning q.id
    )
    insert into postrider.email_facts (email_id, type, detail)
    select id, 'RELEASED', $4::text::jsonb from parked returning email_id`,
};

/** Ends claimed emails that must not be sent any more; returns which. */
export async function endClaims(
  database: Queryable,
  worker: number,
  claims: readonly ClaimRef[],
  end: { type: Extract<EventType, 'EXPIRED' | 'SUPPRESSED'>; status: EmailStatus; detail: object },
): Promise<string[]> {
  if (claims.length === 0) return [];
  const { rows } = await database.query<{ email_id: string }>(END, [
    claims.map((claim) => claim.id),
    claims.map((claim) => claim.token),
    worker,
    end.type,
    end.status,
    JSON.stringify(end.detail),
  ]);
  return rows.map((row) => row.email_id);
}

const END = {
  name: 'outbox_end',
  text: `
    with ended as (
      delete from postrider.email_queue q using unnest($1::uuid[], $2::int[]) s(id, token)
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $3::int
      returning q.id
    )
    insert into postrider.email_facts (email_id, type, final_status, detail)
    select id, $4::text::postrider.event_type, $5::text::postrider.email_status, $6::text::jsonb from ended
    returning email_id`,
};
