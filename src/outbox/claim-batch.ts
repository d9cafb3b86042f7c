import type { Queryable } from '../store/index.js';
import { createFairTaker, takeStatement } from './take-fairly.js';

/** Takes the next emails of a route for a worker, in fair order. */
export interface Claim {
  id: string;
  token: number;
  bytes: number;
  route: string;
  tenant?: string | undefined;
  atMostOnce: boolean;
  /** Of a suspect: how many suspects may be attempted together where it is one of them. */
  groupLimit?: number | undefined;
  /** It has a connection as soon as it is opened, so it is marked as begun with that. */
  begins?: boolean | undefined;
}

export interface Claimer {
  claim(limit: number, pausedTenants: readonly string[]): Promise<Claim[]>;
}

export function createClaimer(
  database: Queryable,
  { route, worker }: { route: string; worker: () => number },
): Claimer {
  const taker = createFairTaker<ClaimedRow>(database, { route, statement: CLAIM, values: () => [worker()] });
  return {
    claim: async (limit, pausedTenants) =>
      (await taker.take(limit, pausedTenants)).map((row) => asClaim(row, route)),
  };
}

export interface ClaimedRow {
  id: string;
  token: number;
  bytes: number;
  at_most_once: boolean;
  tenant: string;
}

export function asClaim({ id, token, bytes, at_most_once, tenant }: ClaimedRow, route: string): Claim {
  return { id, token, bytes, route, tenant, atMostOnce: at_most_once };
}

const CLAIM = takeStatement({
  name: 'outbox_claim',
  set: 'owner = $7::int, claimed_at = clock_timestamp(), opened = false, begun = false',
  returning: 'q.id, q.token, q.bytes, q.at_most_once, q.tenant',
});

export interface SuspectOptions {
  route: string;
  worker: number;
  limit: number;
  /** Suspects this worker attempts already. */
  beside: number;
}

/**
 * Suspects of the route that may be attempted together and with those beside them. Those of the largest groups come
 * first: they are likely to be innocent.
 */
export async function claimSuspects(
  database: Queryable,
  { route, worker, limit, beside }: SuspectOptions,
): Promise<Claim[]> {
  const { rows } = await database.query<ClaimedRow & { group_limit: number }>(CLAIM_SUSPECTS, [
    route,
    worker,
    limit,
    beside,
  ]);
  return rows.map((row) => ({ ...asClaim(row, route), groupLimit: row.group_limit }));
}

const CLAIM_SUSPECTS = {
  name: 'outbox_claim_suspects',
  text: `
    with free as materialized (
      -- those of older code have no limit, and each was to be attempted alone
      select id, crashes, greatest(group_limit, 1) as group_limit from postrider.email_queue
      where route = $1 and suspect and owner is null and not parked and (due_at is null or due_at <= clock_timestamp())
      order by greatest(group_limit, 1) desc, crashes, id limit $3::int for update skip locked
    ), chosen as materialized (
      select id, group_limit from (
        select f.*, row_number() over (order by group_limit desc, crashes, id) as place from free f
      ) placed where place + $4::int <= group_limit
    )
    update postrider.email_queue q
    set owner = $2::int, token = q.token + 1, claimed_at = clock_timestamp(), opened = false, begun = false, due_at = null
    from chosen c where q.id = c.id
    returning q.id, q.token, q.bytes, q.at_most_once, q.tenant, c.group_limit`,
};
