import { killPoint } from '../kernel/index.js';
import { type Database, jsonBytes, type Queryable } from '../store/index.js';

/**
 * Another round for emails that ended in `failed` or `unknown`, or their leave from the list of those.
 * Each end can be answered once, however many operators press at the same time: they take turns, and the
 * fact that is left names the attempt it answers. Nothing is sent again whose content is gone, and nothing
 * that may have been delivered unless the caller says that a duplicate is all right.
 */
export type RetryRefusal = 'not-dead' | 'content-gone' | 'expired' | 'needs-confirmation' | 'not-found';

export interface RetryAnswer {
  retried: string[];
  refused: Array<{ emailId: string; reason: RetryRefusal }>;
}

export interface DeadLetterScope {
  /** Only emails of this tenant; the others are not found. */
  tenant?: string;
  by?: string;
}

/** At most a few hundred ids a call: one short transaction. */
export async function retryDeadLetters(
  database: Database,
  ids: readonly string[],
  options: DeadLetterScope & { acceptDuplicates?: boolean } = {},
): Promise<RetryAnswer> {
  const judged = await inTurn(database, (tx) =>
    tx.query<{ id: string; fate: RetryRefusal | 'retry' }>(RETRY, [
      ids,
      options.tenant ?? null,
      options.acceptDuplicates ?? false,
      options.by ?? 'caller',
    ]),
  );
  killPoint('dead-letters:requeued');
  const fates = new Map(judged.rows.map((row) => [row.id, row.fate]));
  const answer: RetryAnswer = { retried: [], refused: [] };
  for (const id of ids) {
    const fate = fates.get(id) ?? 'not-found';
    if (fate === 'retry') answer.retried.push(id);
    else answer.refused.push({ emailId: id, reason: fate });
  }
  return answer;
}

/** Returns the ids that left the list; their status stays what it was. */
export async function discardDeadLetters(
  database: Database,
  ids: readonly string[],
  options: DeadLetterScope & { reason?: string } = {},
): Promise<string[]> {
  const detail = { by: options.by ?? 'caller', ...(options.reason ? { reason: options.reason } : {}) };
  const { rows } = await inTurn(database, (tx) =>
    tx.query<{ email_id: string }>(DISCARD, [ids, options.tenant ?? null, JSON.stringify(detail)]),
  );
  return rows.map((row) => row.email_id);
}

/**
 * One batch at a time in the whole store. The statement that decides begins after the lock is held, so it
 * sees what the holder before it wrote.
 */
export function inTurn<T>(database: Database, work: (tx: Queryable) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await takeTurn(tx);
    return work(tx);
  });
}

export async function takeTurn(tx: Queryable): Promise<void> {
  await tx.query('select pg_advisory_xact_lock(7707, 15)');
}

const DEAD = `
  select a.* from postrider.email_attempts a
  where a.email_id = any ($1::uuid[]) and a.final and a.status in ('failed', 'unknown')
    and not exists (select 1 from postrider.email_facts f where f.email_id = a.email_id
      and f.type in ('REQUEUED', 'DISCARDED') and f.detail -> 'afterAttempt' = to_jsonb(a.attempt))`;

/** What the queue can hold, so that both can still be raised; only rows that no process wrote have more. */
const MOST_ATTEMPTS = 32_000;
const MOST_TOKENS = 2_000_000_000;

// The new row's token is above every one ever given out for the email: a worker of an earlier round that
// comes back late names one that no longer fits.
const RETRY = {
  name: 'outbox_retry_dead_letters',
  text: `
    with dead as materialized (${DEAD}
    ), judged as materialized (
      select e.id, e.tenant, e.priority, e.route, e.delivery, e.max_attempts, e.expires_at, d.attempt, d.status, b.bytes,
        history.token, history.unknown, history.remaining,
        case
          when d.email_id is null or d.attempt >= ${MOST_ATTEMPTS} or history.token >= ${MOST_TOKENS} then 'not-dead'
          when b.bytes is null then 'content-gone'
          when e.expires_at <= clock_timestamp() then 'expired'
          when history.unknown and not $3::boolean then 'needs-confirmation'
          else 'retry'
        end as fate
      from postrider.emails e
      left join dead d on d.email_id = e.id
      left join lateral (
        select least(2147483647, octet_length(x.html)::bigint + octet_length(x.text)
          + coalesce(${jsonBytes('x.attachments')}, 0))::int as bytes
        from postrider.email_bodies x where x.email_id = e.id
      ) b on true
      left join lateral (
        select max(x.token) as token, bool_or('OUTCOME_UNKNOWN' = any (x.events)) as unknown,
          (array_agg(x.detail -> 'remaining' order by x.attempt desc)
            filter (where jsonb_typeof(x.detail -> 'remaining') = 'array'))[1] as remaining
        from postrider.email_attempts x where x.email_id = e.id
      ) history on true
      where e.id = any ($1::uuid[]) and ($2::text is null or e.tenant = $2)
    ), queued as (
      insert into postrider.email_queue (id, expires_at, token, bytes, attempt, earlier_attempts, max_attempts, priority,
        ready, at_most_once, possible_duplicate, route, tenant, remaining)
      select id, expires_at, greatest(token, 0) + 1, bytes, greatest(attempt, 0), greatest(attempt, 0), least(32767, attempt::int + max_attempts), priority,
        true, delivery = 'at-most-once', unknown, route, tenant,
        case when remaining is not null then array(select x ->> 'address' from jsonb_array_elements(remaining) x) end
      from judged where fate = 'retry'
    ), facts as (
      insert into postrider.email_facts (email_id, type, detail)
      select id, 'REQUEUED', jsonb_build_object('by', $4::text, 'afterAttempt', attempt, 'from', status)
        || case when unknown then jsonb_build_object('possibleDuplicate', true) else '{}' end
      from judged where fate = 'retry'
    )
    select id, fate from judged`,
};

const DISCARD = {
  name: 'outbox_discard_dead_letters',
  text: `
    with dead as materialized (${DEAD})
    insert into postrider.email_facts (email_id, type, detail)
    select d.email_id, 'DISCARDED', $3::text::jsonb || jsonb_build_object('afterAttempt', d.attempt)
    from dead d
    where $2::text is null or exists (
      select 1 from postrider.emails e where e.id = d.email_id and e.tenant = $2)
    returning email_id`,
};
