import { delay, killPoint } from '../kernel/index.js';
import { type Database, type Queryable, sqlStateOf } from '../store/index.js';
import { takeTurn } from './dead-letters.js';

/**
 * Takes whole weeks out of the ledger when everything in them has ended long enough ago. Whoever sends meanwhile waits
 * at most for one short try at the lock: a week that is in use at the moment is left for the next run. What was taken
 * out is dropped afterwards, when nobody looks at it any more; a run that dies in between is finished by the next.
 */
export interface Retired {
  dropped: string[];
  /** Weeks that could have gone and were in use. */
  postponed: string[];
}

const LOCK_MS = 50;
const TRIES = 5;
const BETWEEN_MS = 200;

export async function retireWeeks(
  database: Database,
  tables: readonly string[],
  days: number,
): Promise<Retired> {
  const retired: Retired = { dropped: [], postponed: [] };
  for (const week of await endedWeeks(database, tables, days)) {
    const gone = await briefly(database, (tx) => takeOut(tx, tables, { week, days }));
    if (gone === null) retired.postponed.push(week);
    else retired.dropped.push(...gone);
    killPoint('retire:taken-out');
  }
  await dropRetired(database);
  return retired;
}

/**
 * A transaction whose statements give up on a lock after 50 ms, tried a few times; null when it never came through.
 * Whoever asks for a lock that waits makes all who come later wait behind it, so a longer wait would be theirs.
 */
export async function briefly<T>(database: Database, work: (tx: Queryable) => Promise<T>): Promise<T | null> {
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    try {
      return await database.transaction(work);
    } catch (error) {
      if (sqlStateOf(error) !== LOCK_NOT_AVAILABLE) throw error;
      if (attempt < TRIES) await delay(BETWEEN_MS * attempt);
    }
  }
  return null;
}

const LOCK_NOT_AVAILABLE = '55P03';

export async function limitLockWait(tx: Queryable): Promise<void> {
  await tx.query(`set local lock_timeout = '${LOCK_MS}ms'`);
}

/** Holds the operators' turn, so that nothing in the week is brought back between the look and the taking out. */
async function takeOut(
  tx: Queryable,
  tables: readonly string[],
  { week, days }: { week: string; days: number },
): Promise<string[]> {
  await takeTurn(tx);
  if (!(await endedWeeks(tx, tables, days)).includes(week)) return [];
  await limitLockWait(tx);
  const taken: string[] = [];
  for (const table of tables) {
    const name = `${table}_${week}`;
    const { rows } = await tx.query('select 1 from pg_inherits where inhrelid = to_regclass($1)', [
      `postrider.${name}`,
    ]);
    if (rows.length === 0) continue;
    await tx.query(`alter table postrider.${table} detach partition postrider.${name}`);
    // Under a name of its own, so that a partition a person detached to keep is never dropped.
    await tx.query(`alter table postrider.${name} rename to ${name}_retired`);
    taken.push(name);
  }
  return taken;
}

async function dropRetired(database: Database): Promise<void> {
  const { rows } = await database.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'postrider'::regnamespace and relkind = 'r'
       and relname ~ '^(emails|email_bodies|email_attempts|email_facts)_[0-9]{8}_retired$'`,
  );
  for (const { name } of rows) {
    await briefly(database, async (tx) => {
      await limitLockWait(tx);
      await tx.query(`drop table if exists postrider.${name}`);
    });
  }
}

/** Weeks of a table, as YYYYMMDD, in which nothing waits and nothing ended within the period. */
async function endedWeeks(database: Queryable, tables: readonly string[], days: number): Promise<string[]> {
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
