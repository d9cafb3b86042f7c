import type { Queryable } from '../store/index.js';
import { asClaim, type Claim, type ClaimedRow } from './claim-batch.js';
import type { BellRef } from './ring-bells.js';

/**
 * Claims what a batch of bells is about, in one statement. A bell whose row is gone, owned, rung anew,
 * not rung at all or of another tenant gives nothing. What may not go now is put back: of a paused tenant or beyond a route's
 * room for a moment, too early until it is due.
 */
export interface RungOptions {
  worker: number;
  /** How many each route may take now; a route that is not named takes what comes. */
  rooms: ReadonlyMap<string, number>;
  pausedTenants: readonly string[];
}

export interface ClaimedBells {
  claims: Claim[];
  /** When the last of those that came through the broker was rung; null where none did. */
  rungAt: Date | null;
}

export async function claimRung(
  database: Queryable,
  bells: readonly BellRef[],
  { worker, rooms, pausedTenants }: RungOptions,
): Promise<ClaimedBells> {
  const { rows } = await database.query<ClaimedRow & { route: string; rung_at: Date }>(CLAIM_RUNG, [
    bells.map((bell) => bell.id),
    bells.map((bell) => bell.token),
    worker,
    [...rooms.keys()],
    [...rooms.values()],
    pausedTenants,
    EARLY_MS,
    PUT_BACK_MS,
    bells.map((bell) => bell.tenant ?? null),
  ]);
  const direct = new Set(bells.flatMap((bell) => (bell.direct ? [bell.id] : [])));
  let rungAt: Date | null = null;
  for (const { id, rung_at } of rows) {
    if (!direct.has(id) && (rungAt === null || rung_at > rungAt)) rungAt = rung_at;
  }
  return { claims: rows.map((row) => asClaim(row, row.route)), rungAt };
}

/** Clocks of two machines do not run alike. */
const EARLY_MS = 250;
/** Long enough that a row is not rung and put back without end, short enough not to be noticed. */
const PUT_BACK_MS = 250;

const CLAIM_RUNG = {
  name: 'outbox_claim_rung',
  text: `
    with rung as materialized (
      select q.id, q.route, q.tenant, q.priority, q.due_at, q.rung_at
      from unnest($1::uuid[], $2::int[], $9::text[]) b(id, token, tenant)
      join postrider.email_queue q on q.id = b.id
      where (b.token is null or q.token = b.token) and (b.tenant is null or q.tenant = b.tenant)
        and q.owner is null and q.rung_at is not null and not q.suspect and not q.parked
      for update of q skip locked
    ), judged as materialized (
      -- of a retry that came a moment early it lies ahead
      select r.id, least(r.rung_at, clock_timestamp()) as rung_at, case
          when r.due_at > clock_timestamp() + $7::float8 * interval '1 millisecond' then 'early'
          when r.tenant = any ($6::text[]) then 'held'
          when row_number() over (partition by r.route order by r.priority, r.id) > room.count then 'held'
          else 'go'
        end as fate
      from rung r left join unnest($4::text[], $5::int[]) room(route, count) on room.route = r.route
    ), put_back as (
      update postrider.email_queue q
      set rung_at = null, due_at = case j.fate when 'early' then q.due_at
        else clock_timestamp() + $8::float8 * interval '1 millisecond' end
      from judged j where q.id = j.id and j.fate <> 'go'
    )
    update postrider.email_queue q
    set owner = $3::int, token = q.token + 1, claimed_at = clock_timestamp(), opened = false, begun = false, rung_at = null,
      due_at = null
    from judged j where q.id = j.id and j.fate = 'go'
    returning q.id, q.token, q.bytes, q.at_most_once, q.tenant, q.route, j.rung_at`,
};
