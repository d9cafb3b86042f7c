import type { Database } from '../store/index.js';

/**
 * Retention, counted from an email's final state: whole weeks are dropped when everything in them has
 * ended long enough ago; what keeps a week alive is kept and the rest of it deleted row by row. An
 * email that still waits is never touched.
 */
export interface Retention {
  contentDays: number;
  logDays: number;
}

export interface Pruned {
  partitionsMade: number;
  partitionsDropped: string[];
  rowsDeleted: number;
}

const LEDGER = ['email_facts', 'email_attempts', 'emails'] as const;
const ROWS = 5000;

export async function prune(database: Database, retention: Retention): Promise<Pruned> {
  const partitionsMade = await ensurePartitions(database);
  const content = await pruneTables(database, ['email_bodies'], retention.contentDays);
  const logs = await pruneTables(database, ['email_bodies', ...LEDGER], retention.logDays);
  await database.query(
    `delete from postrider.workers w where w.ended_at < now() - interval '7 days'
     and not exists (select 1 from postrider.email_queue q where q.owner = w.id)`,
  );
  return {
    partitionsMade,
    partitionsDropped: [...content.dropped, ...logs.dropped],
    rowsDeleted: content.deleted + logs.deleted,
  };
}

/** Waits at most two seconds for locks: the next run tries again, accepting goes on meanwhile. */
async function ensurePartitions(database: Database): Promise<number> {
  return database.transaction(async (tx) => {
    await tx.query("set local lock_timeout = '2s'");
    // Two processes would make the same table twice.
    await tx.query('select pg_advisory_xact_lock(7707, 3)');
    const { rows } = await tx.query<{ made: number }>('select postrider.ensure_partitions() as made');
    return rows[0]?.made ?? 0;
  });
}

async function pruneTables(
  database: Database,
  tables: readonly string[],
  days: number,
): Promise<{ dropped: string[]; deleted: number }> {
  const dropped: string[] = [];
  for (const week of await endedWeeks(database, tables, days)) {
    await database.transaction(async (tx) => {
      await tx.query("set local lock_timeout = '2s'");
      for (const table of tables) await tx.query(`drop table if exists postrider.${table}_${week}`);
    });
    dropped.push(...tables.map((table) => `${table}_${week}`));
  }
  let deleted = 0;
  for (const table of tables) {
    const key = table === 'emails' ? 'id' : 'email_id';
    for (;;) {
      const { rowCount } = await database.query(deleteEnded(table, key), [days, ROWS]);
      deleted += rowCount;
      if (rowCount < ROWS) break;
    }
  }
  return { dropped, deleted };
}

/** Weeks of a table, as YYYYMMDD, in which nothing waits and nothing ended within the period. */
async function endedWeeks(database: Database, tables: readonly string[], days: number): Promise<string[]> {
  const { rows } = await database.query<{ week: string }>(
    `with weeks as (
       select right(c.relname, 8) as week, to_date(right(c.relname, 8), 'YYYYMMDD')::timestamp at time zone 'UTC' as starts
       from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = ('postrider.' || $1::text)::regclass and c.relname ~ '_[0-9]{8}$'
     ), bounds as (
       select week, starts, postrider.id_floor(starts) as low, postrider.id_floor(starts + interval '7 days') as high
       from weeks where starts + interval '7 days' < now() - $2::int * interval '1 day'
     )
     select week from bounds b
     where not exists (select 1 from postrider.email_queue q where q.id >= b.low and q.id < b.high)
       and not exists (select 1 from postrider.email_attempts a where a.email_id >= b.low and a.email_id < b.high
         and a.final and a.settled_at > now() - $2::int * interval '1 day')
       and not exists (select 1 from postrider.email_facts f where f.email_id >= b.low and f.email_id < b.high
         and f.final_status is not null and f.created_at > now() - $2::int * interval '1 day')
     order by week`,
    [tables.at(-1), days],
  );
  return rows.map((row) => row.week);
}

function deleteEnded(table: string, key: string): string {
  return `
    with gone as (
      select t.${key} as id from postrider.${table} t
      where t.${key} < postrider.id_floor(now() - $1::int * interval '1 day')
        and not exists (select 1 from postrider.email_queue q where q.id = t.${key})
        and not exists (select 1 from postrider.email_attempts a where a.email_id = t.${key} and a.final
          and a.settled_at > now() - $1::int * interval '1 day')
        and not exists (select 1 from postrider.email_facts f where f.email_id = t.${key}
          and f.final_status is not null and f.created_at > now() - $1::int * interval '1 day')
      limit $2::int
    )
    delete from postrider.${table} t using gone where t.${key} = gone.id returning t.${key}`;
}
