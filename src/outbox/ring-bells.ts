import type { Queryable } from '../store/index.js';
import { createFairTaker, takeStatement } from './take-fairly.js';

/**
 * Rows whose bell goes to a broker instead of straight to a worker: taken in the fair order, marked as rung
 * and owned by nobody until their bell is claimed. A bell that gets lost, wherever, costs time and nothing
 * else: the row becomes ready again.
 */
export interface RungEmail {
  id: string;
  /** Of the row as it is rung; a claim of this bell must find it so. */
  token: number;
  tenant: string;
  priority: number;
  /** Attempts made so far, and how many there may be. */
  attempt: number;
  maxAttempts: number;
}

/** A bell as it comes back; without a token where the broker's contract has no place for one. */
export interface BellRef {
  id: string;
  token: number | null;
  /** Whose email it claims to be about, where it says so. */
  tenant?: string;
  /** It never was in the broker: that it is heard says nothing of those that are. */
  direct?: boolean;
}

export interface Ringer {
  ring(limit: number, pausedTenants: readonly string[]): Promise<RungEmail[]>;
}

export function createRinger(
  database: Queryable,
  { route, worker }: { route: string; worker: () => number },
): Ringer {
  const taker = createFairTaker<RungRow>(database, { route, statement: RING, values: () => [worker()] });
  return {
    ring: async (limit, pausedTenants) =>
      (await taker.take(limit, pausedTenants)).map(
        ({ id, token, tenant, priority, attempt, max_attempts }) => ({
          ...{ id, token, tenant, priority, attempt },
          maxAttempts: max_attempts,
        }),
      ),
  };
}

interface RungRow {
  id: string;
  token: number;
  tenant: string;
  priority: number;
  attempt: number;
  max_attempts: number;
}

const RING = takeStatement({
  name: 'outbox_ring',
  set: 'rung_at = clock_timestamp(), rung_by = $7::int',
  returning: 'q.id, q.token, q.tenant, q.priority, q.attempt, q.max_attempts',
});

export interface OutstandingBells {
  /** All that are out and whose time has come. */
  out: number;
  /** Those of them behind which a new one would wait. */
  ahead: number;
  /** Of the one of these that is out the longest; 0 where there is none. */
  oldestMs: number;
}

/**
 * A broker hands bells out in the order they came in: those rung well before one that was heard already are lost, or in
 * the hands of somebody who is slow or gone. Nobody waits behind them.
 */
export async function countOutstanding(
  database: Queryable,
  { heardUpTo }: { heardUpTo: Date | null },
): Promise<OutstandingBells> {
  const { rows } = await database.query<{ out: number; ahead: number; oldest: number | null }>(OUTSTANDING, [
    heardUpTo,
    OUT_OF_ORDER_MS,
  ]);
  const { out = 0, ahead = 0, oldest = null } = rows[0] ?? {};
  return { out, ahead, oldestMs: Math.max(0, oldest ?? 0) };
}

/** By so much one may overtake another on its way into the broker, or through a worker that is a little slower. */
const OUT_OF_ORDER_MS = 1000;

const OUTSTANDING = {
  name: 'outbox_outstanding_bells',
  text: `
    select count(*)::int as out, (count(*) filter (where ahead))::int as ahead,
      (extract(epoch from clock_timestamp() - min(rung_at) filter (where ahead)) * 1000)::float8 as oldest
    from (
      -- a server whose clock is behind that of the one before knows of nothing that was heard
      select rung_at, $1::timestamptz is null or $1::timestamptz > clock_timestamp()
        or rung_at >= $1::timestamptz - $2::float8 * interval '1 millisecond' as ahead
      from postrider.email_queue
      where rung_at is not null and isfinite(rung_at) and owner is null and rung_at <= clock_timestamp()
    ) bells`,
};

/**
 * One batch of rows whose bell has been out for so long that it counts as lost. Runs with every engine, so
 * that what one engine rang another one finds.
 */
export async function ringAgain(database: Queryable, afterMs: number): Promise<number> {
  const { rowCount } = await database.query(RING_AGAIN, [afterMs, RING_AGAIN_BATCH]);
  return rowCount;
}

export const RING_AGAIN_BATCH = 2000;

const RING_AGAIN = {
  name: 'outbox_ring_again',
  text: `
    with lost as materialized (
      select id from postrider.email_queue
      where rung_at is not null and owner is null
        and rung_at < clock_timestamp() - $1::float8 * interval '1 millisecond'
      order by rung_at limit $2::int for update skip locked
    )
    update postrider.email_queue q
    set ready = not q.suspect and not q.parked, rung_at = null, scheduled = false, due_at = null
    from lost where q.id = lost.id
    returning q.id`,
};

/** Which of these emails their tenants do not have, or have no more. */
export async function findUnknown(database: Queryable, bells: readonly BellRef[]): Promise<Set<string>> {
  const { rows } = await database.query<{ id: string }>(FIND_UNKNOWN, [
    bells.map((bell) => bell.id),
    bells.map((bell) => bell.tenant ?? null),
  ]);
  return new Set(rows.map(({ id }) => id));
}

const FIND_UNKNOWN = {
  name: 'outbox_find_unknown',
  text: `
    select b.id from unnest($1::uuid[], $2::text[]) b(id, tenant)
    left join lateral (select x.tenant from postrider.emails x where x.id = b.id limit 1) e on true
    where e.tenant is null or e.tenant is distinct from coalesce(b.tenant, e.tenant)`,
};

/** Bells that did not get out, or that nobody here will claim: their rows wait as if nobody had rung. */
export async function takeBackBells(database: Queryable, bells: readonly BellRef[]): Promise<number> {
  if (bells.length === 0) return 0;
  const { rowCount } = await database.query(TAKE_BACK, [
    bells.map((bell) => bell.id),
    bells.map((bell) => bell.token),
  ]);
  return rowCount;
}

const TAKE_BACK = {
  name: 'outbox_take_back_bells',
  text: `
    update postrider.email_queue q
    set ready = q.due_at is null and not q.suspect and not q.parked, rung_at = null
    from unnest($1::uuid[], $2::int[]) b(id, token)
    where q.id = b.id and (b.token is null or q.token = b.token) and q.owner is null and q.rung_at is not null
    returning q.id`,
};

/**
 * The broker has no bells any more: every row whose bell is out becomes ready again, in batches; with `waits` also
 * those whose bell was to come back later, which then wait here. A bell that somebody held all the same is one too
 * many and matches nothing.
 */
export async function forgetBells(database: Queryable, { waits }: { waits: boolean }): Promise<number> {
  let forgotten = 0;
  for (;;) {
    const { rowCount } = await database.query(FORGET, [waits, RING_AGAIN_BATCH]);
    forgotten += rowCount;
    if (rowCount < RING_AGAIN_BATCH) return forgotten;
  }
}

/** A worker is dead: what it rang, or was to hand to the broker for a wait, and nobody has claimed since. */
export async function forgetBellsOf(database: Queryable, worker: number): Promise<number> {
  const { rowCount } = await database.query(FORGET_OF, [worker]);
  return rowCount;
}

const forget = (name: string, which: string) => ({
  name,
  text: `
    with lost as materialized (
      select id, rung_at > clock_timestamp() as waits from postrider.email_queue
      where rung_at is not null and owner is null and ${which} for update skip locked
    )
    update postrider.email_queue q
    set ready = not lost.waits and not q.suspect and not q.parked, rung_at = null,
      scheduled = q.scheduled and lost.waits, due_at = case when lost.waits then q.due_at end
    from lost where q.id = lost.id
    returning q.id`,
});

const FORGET = forget(
  'outbox_forget_bells',
  '($1::boolean or rung_at <= clock_timestamp()) order by rung_at limit $2::int',
);
const FORGET_OF = forget('outbox_forget_bells_of', 'rung_by = $1::int');
