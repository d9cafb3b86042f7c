import type { Database } from '../store/index.js';
import { inTurn } from './dead-letters.js';
import { briefly, limitLockWait, retireWeeks } from './retire-weeks.js';
import { forgetOldTallies } from './tally-ends.js';

/**
 * Retention, counted from an email's final state: whole weeks are dropped when everything in them has ended long enough
 * ago. In a week that is over and cannot be dropped, what keeps it alive is kept and the rest deleted row by row, a
 * thousand at a time. An email that still waits is never touched, and no sender waits for more than a moment.
 */
export interface Retention {
  contentDays: number;
  logDays: number;
  /** Bodies of what was sent go this much sooner; null: with the others. */
  sentBodyHours?: number | null;
  /** Those of sensitive emails that failed are kept so long for another try. Defaults to a day. */
  sensitiveBodyHours?: number;
}

export const USUAL_SENSITIVE_HOURS = 24;

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
  if (retention.sentBodyHours) {
    const range = await olderThan(database, retention.sentBodyHours);
    rowsDeleted += await deleteInSteps(database, SENT_BODIES, range, retention.sentBodyHours);
  }
  rowsDeleted += await deleteInSteps(
    database,
    SENSITIVE_BODIES,
    EVERYTHING,
    retention.sensitiveBodyHours ?? USUAL_SENSITIVE_HOURS,
  );
  const steps = [
    { table: 'email_bodies', days: retention.contentDays, postponed: content.postponed },
    ...LEDGER.map((table) => ({ table, days: retention.logDays, postponed: logs.postponed })),
  ];
  for (const { table, days, postponed } of steps) {
    for (const range of await rangesOver(database, days, postponed))
      rowsDeleted += await deleteInSteps(database, ended(table), range, days);
  }
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

/** Ids above `low` and below `high`. */
interface Range {
  low: string;
  high: string;
}

/** Rows of a table that may go. `among` and `condition` are SQL; `l.id` is the email's id and `$4` the period. */
interface Step {
  table: string;
  key: string;
  among?: string;
  condition: string;
}

const EVERYTHING: Range = { low: FIRST, high: 'ffffffff-ffff-ffff-ffff-ffffffffffff' };

async function olderThan(database: Database, hours: number): Promise<Range> {
  const { rows } = await database.query<{ high: string }>(
    "select postrider.id_floor(now() - $1::int * interval '1 hour') as high",
    [hours],
  );
  return { low: FIRST, high: rows[0]!.high };
}

/** The weeks that are over, without those that are dropped as soon as nobody uses them. */
async function rangesOver(database: Database, days: number, postponed: readonly string[]): Promise<Range[]> {
  const { rows } = await database.query<Range>(
    `select postrider.id_floor(starts) as low, postrider.id_floor(starts + interval '7 days') as high
     from (select to_date(week, 'YYYYMMDD')::timestamp at time zone 'UTC' as starts from unnest($2::text[]) week
       union all
       select date_trunc('week', (now() - $1::int * interval '1 day') at time zone 'UTC') at time zone 'UTC') w
     order by 1`,
    [days, postponed],
  );
  return rows.map(({ low }, at) => ({ low: rows[at - 1]?.high ?? FIRST, high: low }));
}

/**
 * Each step looks at the next thousand keys and goes on behind them, whether they may go or not, so that every row is
 * looked at once.
 */
async function deleteInSteps(database: Database, step: Step, range: Range, period: number): Promise<number> {
  const [page, remove] = [pageOf(step), removeOf(step)];
  let deleted = 0;
  let { low } = range;
  for (;;) {
    // In turn with those who try dead letters again, so that none is queued whose content is going.
    const looked = await inTurn(database, async (tx) => {
      // In a week that nobody has analysed the planner would rather sort the whole week than follow its index.
      await tx.query('set local enable_sort = off');
      await tx.query('set local jit = off');
      const { rows } = await tx.query<{ id: string }>(page, [low, range.high]);
      const ids = [...new Set(rows.map(({ id }) => id))];
      if (ids.length === 0) return rows;
      const { rowCount } = await tx.query(remove, [ids, ids[0], ids.at(-1), period]);
      deleted += rowCount;
      return rows;
    });
    if (looked.length < ROWS) return deleted;
    low = looked.at(-1)!.id;
  }
}

function pageOf({ table, key, among = '' }: Step): string {
  return `
    select t.${key} as id from postrider.${table} t
    where t.${key} > $1::uuid and t.${key} < $2::uuid ${among}
    order by t.${key} limit ${ROWS}`;
}

/** Facts share an id, so a step takes whole emails. The bounds keep all other weeks out of the plan. */
function removeOf({ table, key, condition }: Step): string {
  return `
    with gone as materialized (
      select l.id from unnest($1::uuid[]) l(id) where ${condition}
    )
    delete from postrider.${table} t using gone
    where t.${key} = gone.id and t.${key} between $2::uuid and $3::uuid`;
}

/**
 * A row of another table for the email, or null. A subquery is looked up by index for each email; PostgreSQL would
 * turn `exists` into a join that reads the whole week.
 */
function one(table: 'email_attempts' | 'email_facts', where: string): string {
  return `(select true from postrider.${table} x
        where x.email_id = l.id and x.email_id between $2::uuid and $3::uuid and ${where} limit 1)`;
}

const WAITS = '(select true from postrider.email_queue q where q.id = l.id)';

function ended(table: string): Step {
  return {
    table,
    key: table === 'emails' ? 'id' : 'email_id',
    condition: `${WAITS} is null
        and ${one('email_attempts', "x.final and x.settled_at > now() - $4::int * interval '1 day'")} is null
        and ${one('email_facts', "x.final_status is not null and x.created_at > now() - $4::int * interval '1 day'")} is null`,
  };
}

const SENT_BODIES: Step = {
  table: 'email_bodies',
  key: 'email_id',
  condition: one(
    'email_attempts',
    "x.final and x.status = 'sent' and x.settled_at < now() - $4::int * interval '1 hour'",
  ),
};

/**
 * What lets someone in is kept while it may still be sent and no longer: not of an email that ended in a way nobody can
 * answer with another try, not past its expiry, and not when the time for that try is over.
 */
const SENSITIVE_BODIES: Step = {
  table: 'email_bodies',
  key: 'email_id',
  among: 'and t.subject is not null',
  condition: `${WAITS} is null
        and coalesce(${one('email_attempts', 'x.final')}, ${one('email_facts', 'x.final_status is not null')})
        and ${one(
          'email_attempts',
          `x.final and x.status in ('failed', 'unknown') and x.settled_at > now() - $4::int * interval '1 hour'
          and coalesce((select e.expires_at > now() from postrider.emails e where e.id = x.email_id), true)
          and not exists (select 1 from postrider.email_facts f where f.email_id = x.email_id
            and f.type in ('REQUEUED', 'DISCARDED') and f.detail -> 'afterAttempt' = to_jsonb(x.attempt))`,
        )} is null`,
};
