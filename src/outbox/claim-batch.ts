import type { Queryable } from '../store/index.js';

/**
 * Takes the next emails of a route for a worker. Urgent ones first; within a priority tenants take
 * turns, starting after the one served last; one row in twenty goes to the lowest priority that has
 * any, so nothing starves. The cost does not depend on how many wait.
 */
export interface Claim {
  id: string;
  token: number;
  bytes: number;
  route: string;
  atMostOnce: boolean;
}

export interface Claimer {
  claim(limit: number, pausedTenants: readonly string[]): Promise<Claim[]>;
}

const LOWEST_SHARE = 20;

export function createClaimer(
  database: Queryable,
  options: { route: string; worker: () => number },
): Claimer {
  const turns = new Map<number, Turn>();
  let sinceLowest = 0;

  async function claimPriority(priority: number, limit: number, paused: readonly string[]): Promise<Claim[]> {
    const turn = turns.get(priority) ?? { after: '', each: 1 };
    turns.set(priority, turn);
    const taken: Claim[] = [];
    // A round may end at the last tenant or find few of them; two more rounds fill the batch.
    for (let round = 0; round < 3 && taken.length < limit; round++) {
      const need = limit - taken.length;
      const { rows } = await database.query<ClaimedRow>(CLAIM, [
        options.route,
        priority,
        turn.after,
        need,
        Math.max(1, Math.min(turn.each, need)),
        paused,
        options.worker(),
      ]);
      const { seen, last_tenant } = rows[0] ?? { seen: 0, last_tenant: null };
      for (const row of rows) if (row.id !== null) taken.push(asClaim(row.id, row, options.route));
      if (seen === 0 && turn.after === '') break;
      turn.after = seen < need ? '' : (last_tenant ?? '');
      if (seen > 0) turn.each = Math.ceil(limit / seen);
    }
    return taken;
  }

  return {
    async claim(limit, pausedTenants) {
      const { rows } = await database.query<{ priority: number }>(NON_EMPTY, [options.route]);
      const priorities = rows.map((row) => row.priority);
      const lowest = priorities.at(-1);
      if (lowest === undefined) return [];
      const taken: Claim[] = [];
      if (priorities.length > 1) {
        sinceLowest += limit;
        const share = Math.floor(sinceLowest / LOWEST_SHARE);
        if (share > 0) {
          sinceLowest -= share * LOWEST_SHARE;
          taken.push(...(await claimPriority(lowest, Math.min(share, limit), pausedTenants)));
        }
      }
      for (const priority of priorities) {
        if (taken.length >= limit) break;
        taken.push(...(await claimPriority(priority, limit - taken.length, pausedTenants)));
      }
      return taken;
    },
  };
}

interface Turn {
  /** The tenant served last. */
  after: string;
  /** How many rows each tenant may give in one round. */
  each: number;
}

interface ClaimedRow {
  /** null in the one row that only tells how far the turn came. */
  id: string | null;
  token: number;
  bytes: number;
  at_most_once: boolean;
  last_tenant: string | null;
  seen: number;
}

function asClaim(id: string, row: ClaimedRow, route: string): Claim {
  return {
    id,
    token: row.token,
    bytes: row.bytes,
    route,
    atMostOnce: row.at_most_once,
  };
}

// At most five probes: written with `exists`, it can become a join that reads every waiting row.
const NON_EMPTY = {
  name: 'outbox_non_empty_priorities',
  text: `
    with recursive found(priority) as (
      (select priority from postrider.email_queue
       where ready and route = $1 order by route, priority limit 1)
      union all
      select (select q.priority from postrider.email_queue q
              where q.ready and q.route = $1 and q.priority > found.priority
              order by q.route, q.priority limit 1)
      from found where found.priority is not null
    )
    select priority::int as priority from found where priority is not null order by priority`,
};

// Loose index scan: one index-only probe per tenant, then a few rows of each under lock.
const CLAIM = {
  name: 'outbox_claim',
  text: `
    with recursive turn(tenant, n) as (
      (select tenant, 1 from postrider.email_queue
       where ready and route = $1 and priority = $2 and tenant > $3 order by tenant limit 1)
      union all
      select (select q.tenant from postrider.email_queue q
              where q.ready and q.route = $1 and q.priority = $2 and q.tenant > turn.tenant
              order by q.tenant limit 1), turn.n + 1
      from turn where turn.tenant is not null and turn.n < $4::int
    ), chosen as materialized (
      select x.id from turn
      cross join lateral (
        select q.id from postrider.email_queue q
        where q.ready and q.route = $1 and q.priority = $2 and q.tenant = turn.tenant
        order by q.id limit $5::int for update skip locked
      ) x
      where turn.tenant is not null and turn.tenant <> all ($6::text[])
      limit $4::int
    ), claimed as (
      update postrider.email_queue q
      set ready = false, owner = $7::int, token = q.token + 1, claimed_at = clock_timestamp(), begun = false
      from chosen c where q.id = c.id
      returning q.id, q.token, q.bytes, q.at_most_once
    )
    select c.*, s.last_tenant, s.seen
    from (select max(tenant) as last_tenant, count(tenant)::int as seen from turn) s left join claimed c on true`,
};

/** Suspects of the route, each to be attempted alone. */
export async function claimSuspects(
  database: Queryable,
  route: string,
  worker: number,
  limit: number,
): Promise<Claim[]> {
  const { rows } = await database.query<ClaimedRow & { id: string }>(CLAIM_SUSPECTS, [route, worker, limit]);
  return rows.map((row) => asClaim(row.id, row, route));
}

const CLAIM_SUSPECTS = {
  name: 'outbox_claim_suspects',
  text: `
    with chosen as materialized (
      select id from postrider.email_queue
      where route = $1 and suspect and owner is null and not parked and (due_at is null or due_at <= clock_timestamp())
      order by crashes, id limit $3::int for update skip locked
    )
    update postrider.email_queue q
    set owner = $2::int, token = q.token + 1, claimed_at = clock_timestamp(), begun = false, due_at = null
    from chosen c where q.id = c.id
    returning q.id, q.token, q.bytes, q.at_most_once`,
};
