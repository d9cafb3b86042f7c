import type { Queryable } from '../store/index.js';

/**
 * Who is dead: a worker whose session is gone, on a server that has not restarted since, and whose
 * beat is over 1.2 s old; or whose beat is over 10 s old (30 s behind a pooler that shares sessions).
 * The lock is read in pg_locks and never tried: trying it would look alive to the next reader.
 */
export interface DeadWorker {
  id: number;
  lease: number;
}

export const SESSION_LOCK_CLASS = 7708;
export const BEAT_GRACE_MS = 1200;

export async function findDeadWorkers(database: Queryable, self: number): Promise<DeadWorker[]> {
  const { rows } = await database.query<DeadWorker>(FIND_DEAD, [self, SESSION_LOCK_CLASS, BEAT_GRACE_MS]);
  return rows;
}

/** In an embedded store nobody else can be alive: everyone before this process is dead. */
export async function findEarlierWorkers(database: Queryable, self: number): Promise<DeadWorker[]> {
  const { rows } = await database.query<DeadWorker>(
    `select w.id, w.lease from postrider.workers w
     where w.id <> $1 and (w.ended_at is null or exists (select 1 from postrider.email_queue q where q.owner = w.id))`,
    [self],
  );
  return rows;
}

/**
 * How long until a worker of the same instance whose session is gone counts as dead: a restart waits
 * for that before its first claim, and so takes its own rows back.
 */
export async function msUntilPredecessorDead(
  database: Queryable,
  self: number,
  instance: string,
): Promise<number> {
  const { rows } = await database.query<{ wait: number | null }>(
    `select max(extract(epoch from w.beat_at - clock_timestamp()) * 1000 + $3::int)::float8 as wait
     from postrider.workers w
     where w.ended_at is null and w.id <> $1 and w.instance = $2
       and w.server_started_at = pg_postmaster_start_time() and not w.shared_session and ${sessionGone('$4')}`,
    [self, instance, BEAT_GRACE_MS, SESSION_LOCK_CLASS],
  );
  return Math.max(0, rows[0]?.wait ?? 0);
}

/**
 * How long until somebody whose session is gone counts as dead; null where nobody is dying. Only those that missed a
 * beat are looked at, so that a fleet in good health costs nothing.
 */
export async function msUntilNextDead(database: Queryable, self: number): Promise<number | null> {
  const { rows } = await database.query<{ wait: number | null }>(NEXT_DEAD, [
    self,
    SESSION_LOCK_CLASS,
    BEAT_GRACE_MS,
    MISSED_BEAT_MS,
  ]);
  const wait = rows[0]?.wait ?? null;
  return wait === null ? null : Math.max(0, wait);
}

const MISSED_BEAT_MS = 600;

const NEXT_DEAD = {
  name: 'outbox_next_dead',
  text: `
    select min(extract(epoch from w.beat_at - clock_timestamp()) * 1000 + $3::int)::float8 as wait
    from postrider.workers w
    where w.ended_at is null and w.id <> $1 and not w.shared_session
      and w.server_started_at = pg_postmaster_start_time()
      and w.beat_at < clock_timestamp() - $4::int * interval '1 millisecond'
      and w.beat_at > clock_timestamp() - $3::int * interval '1 millisecond' and ${sessionGone('$2')}`,
};

function sessionGone(lockClass: string): string {
  return `not exists (
    select 1 from pg_locks l
    where l.locktype = 'advisory' and l.classid = ${lockClass}::int::oid and l.objid = w.id::oid and l.objsubid = 2 and l.granted
      and l.database = (select oid from pg_database where datname = current_database()))`;
}

const FIND_DEAD = {
  name: 'outbox_find_dead',
  text: `
    select w.id, w.lease from postrider.workers w
    where w.ended_at is null and w.id <> $1 and (
      (not w.shared_session and w.server_started_at = pg_postmaster_start_time()
        and w.beat_at < clock_timestamp() - $3::int * interval '1 millisecond' and ${sessionGone('$2')})
      or w.beat_at < clock_timestamp() - case when w.shared_session then interval '30 seconds' else interval '10 seconds' end
    )
    union all
    -- ended in order but left rows behind, because giving them back failed
    select w.id, w.lease from (select distinct owner from postrider.email_queue where owner is not null) held
    join postrider.workers w on w.id = held.owner
    where w.ended_at is not null`,
};
