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
export async function claimSuspects(database: Queryable, options: SuspectOptions): Promise<Claim[]> {
  return (await claimSuspectsAndLook(database, options)).suspects;
}

/** Also whether anything of the route could be claimed, which costs no statement of its own. */
export async function claimSuspectsAndLook(
  database: Queryable,
  { route, worker, limit, beside }: SuspectOptions,
): Promise<{ suspects: Claim[]; ready: boolean }> {
  const { rows } = await database.query<SuspectRow>(CLAIM_SUSPECTS, [route, worker, limit, beside]);
  const suspects = rows.flatMap((row) =>
    row.id === null ? [] : { ...asClaim(row, route), groupLimit: row.group_limit },
  );
  return { suspects, ready: rows[0]?.ready ?? false };
}

/** Whether an email of these routes could be claimed. */
export async function isAnyReady(database: Queryable, routes: readonly string[]): Promise<boolean> {
  const { rows } = await database.query<{ ready: boolean }>(ANY_READY, [routes]);
  return rows[0]?.ready ?? false;
}

/** `id` is null in the one row that only tells whether anything is ready. */
type SuspectRow = { ready: boolean } & ((ClaimedRow & { group_limit: number }) | { id: null });

// In the order of an index: of a route that has none, the planner would look for one through all rows.
function isReady(route: string): string {
  return `coalesce((
      select true from postrider.email_queue q where q.ready and q.route = ${route}
      order by q.route, q.priority, q.tenant, q.id limit 1), false)`;
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
    ), taken as (
      update postrider.email_queue q
      set owner = $2::int, token = q.token + 1, claimed_at = clock_timestamp(), opened = false, begun = false, due_at = null
      -- by key: before statistics the planner would go through all rows for the few that are chosen
      from chosen c where q.id = c.id and q.id = any (array(select id from chosen))
      returning q.id, q.token, q.bytes, q.at_most_once, q.tenant, c.group_limit
    )
    select t.*, r.ready
    from (select ${isReady('$1')} as ready) r
    left join taken t on true`,
};

const ANY_READY = {
  name: 'outbox_any_ready',
  text: `
    select exists (
      select from unnest($1::text[]) r(route) where ${isReady('r.route')}) as ready`,
};
