import type { Queryable } from '../store/index.js';
import { createFairTaker, takeStatement } from './take-fairly.js';

/** Takes the next emails of a route for a worker, in fair order. */
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
}

export function asClaim({ id, token, bytes, at_most_once }: ClaimedRow, route: string): Claim {
  return { id, token, bytes, route, atMostOnce: at_most_once };
}

const CLAIM = takeStatement({
  name: 'outbox_claim',
  set: 'owner = $7::int, claimed_at = clock_timestamp(), begun = false',
  returning: 'q.id, q.token, q.bytes, q.at_most_once',
});

/** Suspects of the route, each to be attempted alone. */
export async function claimSuspects(
  database: Queryable,
  route: string,
  worker: number,
  limit: number,
): Promise<Claim[]> {
  const { rows } = await database.query<ClaimedRow>(CLAIM_SUSPECTS, [route, worker, limit]);
  return rows.map((row) => asClaim(row, route));
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
