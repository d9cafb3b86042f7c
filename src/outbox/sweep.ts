import { killPoint } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { asExpired, type GivenUp } from './given-up.js';

/**
 * Moves what time moves: rows whose moment has come become ready, rows whose time has passed expire.
 * Bounded per call, so a million due at once never holds a lock for long; returns whether more waits.
 */
export interface Sweep {
  promoted: number;
  expired: GivenUp[];
  more: boolean;
}

const BATCH = 2000;

export async function sweepDue(database: Database): Promise<Sweep> {
  const expired = await database.query<Pick<GivenUp, 'id' | 'token' | 'attempt'>>(EXPIRE, [BATCH]);
  const promoted = await database.query(PROMOTE, [BATCH]);
  if (promoted.rowCount > 0) killPoint('sweep:promoted');
  return {
    promoted: promoted.rowCount,
    expired: expired.rows.map(asExpired),
    more: promoted.rowCount === BATCH || expired.rows.length === BATCH,
  };
}

/** When the next waiting row becomes due, in milliseconds from now; null when none waits. */
export async function msUntilNextDue(database: Database): Promise<number | null> {
  const { rows } = await database.query<{ wait: number | null }>(NEXT_DUE);
  const wait = rows[0]?.wait ?? null;
  return wait === null ? null : Math.max(0, wait);
}

const PROMOTE = {
  name: 'outbox_promote',
  text: `
    with due as materialized (
      select id from postrider.email_queue
      where due_at is not null and due_at <= clock_timestamp() and owner is null and not parked and not suspect
        and rung_at is null
      order by due_at limit $1::int for update skip locked
    )
    update postrider.email_queue q set ready = true, scheduled = false, due_at = null from due where q.id = due.id
    returning q.id`,
};

const EXPIRE = {
  name: 'outbox_expire',
  text: `
    with late as materialized (
      select id from postrider.email_queue
      where expires_at is not null and expires_at <= clock_timestamp() and owner is null
      order by expires_at limit $1::int for update skip locked
    ), ended as (
      delete from postrider.email_queue q using late where q.id = late.id
      returning q.id, q.token, q.attempt, q.expires_at
    ), told as (
      insert into postrider.email_facts (email_id, type, final_status, detail)
      select id, 'EXPIRED', 'expired', jsonb_build_object('expiresAt', expires_at) from ended
    )
    select id, token, attempt from ended`,
};

const NEXT_DUE = {
  name: 'outbox_next_due',
  text: `
    select (extract(epoch from greatest(due_at, clock_timestamp()) - clock_timestamp()) * 1000)::float8 as wait
    from postrider.email_queue
    where due_at < 'infinity' and owner is null and not parked and not suspect and rung_at is null
    order by due_at limit 1`,
};
