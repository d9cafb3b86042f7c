import type { Database } from '../store/index.js';
import { briefly, limitLockWait, retireWeeks } from './retire-weeks.js';
import { forgetOldTallies } from './tally-ends.js';

/**
 * Retention, counted from an email's final state: whole weeks go when everything in them has ended long enough ago;
 * what keeps a week alive is kept and the rest of it deleted row by row, a thousand at a time. An email that still
 * waits is never touched, and nobody who sends waits for more than a moment.
 */
export interface Retention {
  contentDays: number;
  logDays: number;
  /** Bodies of what was sent go this much sooner; null: with the others. */
  sentBodyHours?: number | null;
}

export interface Pruned {
  partitionsMade: number;
  partitionsDropped: string[];
  /** Weeks in use at the moment; the next run tries again. */
  partitionsPostponed: string[];
  rowsDeleted: number;
}

const LEDGER = ['email_facts', 'email_attempts', 'emails'] as const;
const ROWS = 1000;
const FIRST = '00000000-0000-0000-0000-000000000000';

export async function prune(database: Database, retention: Retention): Promise<Pruned> {
  const partitionsMade = (await ensurePartitions(database)) ?? 0;
  const content = await retireWeeks(database, ['email_bodies'], retention.contentDays);
  const logs = await retireWeeks(database, ['email_bodies', ...LEDGER], retention.logDays);
  let rowsDeleted = 0;
  if (retention.sentBodyHours)
    rowsDeleted += await deleteInSteps(database, sentBodies(), retention.sentBodyHours);
  rowsDeleted += await deleteInSteps(database, ended('email_bodies'), retention.contentDays);
  for (const table of LEDGER) rowsDeleted += await deleteInSteps(database, ended(table), retention.logDays);
  await forgetOldTallies(database, retention.logDays);
  await database.query(
    `delete from postrider.workers w where w.ended_at < now() - interval '7 days'
     and not exists (select 1 from postrider.email_queue q where q.owner = w.id)`,
  );
  return {
    partitionsMade,
    partitionsDropped: [...content.dropped, ...logs.dropped],
    partitionsPostponed: [...new Set([...content.postponed, ...logs.postponed])],
    rowsDeleted,
  };
}

/** null when the locks could not be had: there are weeks ahead, and the next run tries again. */
async function ensurePartitions(database: Database): Promise<number | null> {
  return briefly(database, async (tx) => {
    // Two processes would make the same table twice.
    await tx.query('select pg_advisory_xact_lock(7707, 3)');
    await limitLockWait(tx);
    const { rows } = await tx.query<{ made: number }>('select postrider.ensure_partitions() as made');
    return rows[0]?.made ?? 0;
  });
}

/** Each step goes on where the one before it ended, so that what is kept is passed over once. */
async function deleteInSteps(database: Database, statement: string, period: number): Promise<number> {
  let deleted = 0;
  let cursor = FIRST;
  for (;;) {
    const { rows } = await database.query<{ deleted: number; last: string | null }>(statement, [
      period,
      ROWS,
      cursor,
    ]);
    const step = rows[0];
    deleted += step?.deleted ?? 0;
    if (!step?.last || step.deleted < ROWS) return deleted;
    cursor = step.last;
  }
}

function ended(table: string): string {
  const key = table === 'emails' ? 'id' : 'email_id';
  return stepOf(
    table,
    key,
    `t.${key} < postrider.id_floor(now() - $1::int * interval '1 day')
        and not exists (select 1 from postrider.email_queue q where q.id = t.${key})
        and not exists (select 1 from postrider.email_attempts a where a.email_id = t.${key} and a.final
          and a.settled_at > now() - $1::int * interval '1 day')
        and not exists (select 1 from postrider.email_facts f where f.email_id = t.${key}
          and f.final_status is not null and f.created_at > now() - $1::int * interval '1 day')`,
  );
}

function sentBodies(): string {
  return stepOf(
    'email_bodies',
    'email_id',
    `t.email_id < postrider.id_floor(now() - $1::int * interval '1 hour')
        and exists (select 1 from postrider.email_attempts a where a.email_id = t.email_id and a.final
          and a.status = 'sent' and a.settled_at < now() - $1::int * interval '1 hour')`,
  );
}

/** Facts share an id, so a step takes whole emails: what it picks are ids, what it deletes all their rows. */
function stepOf(table: string, key: string, condition: string): string {
  return `
    with picked as materialized (
      select distinct id from (
        select t.${key} as id from postrider.${table} t
        where t.${key} > $3::uuid and ${condition}
        order by t.${key} limit $2::int
      ) x
    ), gone as (
      delete from postrider.${table} t using picked where t.${key} = picked.id returning t.${key}
    )
    select (select count(*)::int from gone) as deleted, (select max(id::text) from picked) as last`;
}
