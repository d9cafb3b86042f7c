import type { RateLimit, RateLimitState } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/**
 * Counts emails against limits inside the accepting transaction: every email takes a numbered slot of its window, and
 * a slot is taken by try-lock, so nobody ever waits for another's transaction, nothing deadlocks, and a rollback gives
 * the slot back by itself. All asked for or none. What another open transaction holds counts as taken.
 *
 * Windows begin at multiples of their length since 1970 (UTC) by the database's clock at this very moment: processes
 * disagree about the time, and one that runs ahead would open everybody's next window early.
 */
export async function takeRateSlots(tx: Queryable, asked: readonly SlotRequest[]): Promise<SlotAnswer> {
  // One order for all callers: of two batches that want the same, one gets it rather than neither.
  const requests = [...asked].sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
  for (;;) {
    const { rows } = await tx.query<SlotRow>(TAKE, [
      requests.map(({ tenant }) => tenant),
      requests.map(({ recipient }) => recipient),
      requests.map(({ type }) => type),
      requests.map(({ wanted }) => wanted),
      requests.map(({ limit }) => limit.limit),
      requests.map(({ limit }) => limit.windowSeconds ?? 0),
    ]);
    const windows = rows.map((row) => toWindow(row, requests[row.position - 1]!));
    const full = windows.filter(({ request, state }) => state.remaining < request.wanted);
    if (full.length > 0) return { taken: false, short: full };
    const contended = windows.filter(({ request, held }) => held < request.wanted);
    if (contended.length > 0) return { taken: false, short: contended };
    const missed = windows.some(({ request, inserted }) => inserted.length < request.wanted);
    if (!missed) return { taken: true, windows };
    // Someone committed a slot between our look and our lock: give ours back and look again. This ends, because
    // every round means that another slot of these windows is gone.
    await giveBackSlots(tx, windows);
  }
}

export interface SlotRequest {
  tenant: string;
  type: string;
  /** Of `hashAddress`, in hexadecimal. */
  recipient: string;
  wanted: number;
  limit: RateLimit;
}

export interface SlotWindow {
  request: SlotRequest;
  windowStart: string;
  /** How many slots could be locked. */
  held: number;
  inserted: number[];
  /** As it stood before. */
  state: RateLimitState;
  /** Until the reset, by the clock that decides it; null: there is none. */
  resetInSeconds: number | null;
}

export type SlotAnswer = { taken: true; windows: SlotWindow[] } | { taken: false; short: SlotWindow[] };

/** For a refusal by another rule: the caller's transaction may go on and commit. */
export async function giveBackSlots(tx: Queryable, windows: readonly SlotWindow[]): Promise<void> {
  const rows = windows.flatMap((window) => window.inserted.map((slot) => ({ ...window, slot })));
  if (rows.length === 0) return;
  await tx.query(GIVE_BACK, [
    rows.map(({ request }) => request.tenant),
    rows.map(({ request }) => request.recipient),
    rows.map(({ request }) => request.type),
    rows.map(({ windowStart }) => windowStart),
    rows.map(({ slot }) => slot),
  ]);
}

interface SlotRow {
  position: number;
  window_start: string;
  reset_ms: number | null;
  reset_in: number | null;
  used: number;
  held: number;
  /** As text: how arrays are read on the caller's connection is the caller's choice. */
  inserted: string;
}

function toWindow(row: SlotRow, request: SlotRequest): SlotWindow {
  const resetMs = row.reset_ms === null ? null : Number(row.reset_ms);
  return {
    request,
    windowStart: row.window_start,
    held: Number(row.held),
    inserted: row.inserted === '' ? [] : row.inserted.split(',').map(Number),
    state: {
      limit: request.limit.limit,
      remaining: Math.max(0, request.limit.limit - Number(row.used)),
      resetAt: resetMs === null ? null : new Date(resetMs),
    },
    resetInSeconds: row.reset_in === null ? null : Number(row.reset_in),
  };
}

function keyOf({ tenant, type, recipient }: SlotRequest): string {
  return `${tenant}\n${recipient}\n${type}`;
}

// Locks are tried only when everything fits by what is committed, so that an ordinary refusal leaves none behind.
// The inner offset keeps the planner from locking slots that are not free.
const TAKE = {
  name: 'policy_take_rate_slots',
  text: `
    with asked as materialized (
      select i.tenant, decode(i.recipient, 'hex') as recipient, i.recipient as hex, i.type, i.wanted, i.most,
        i.seconds, i.position::int as position, m.at,
        case when i.seconds = 0 then 0 else floor(m.at / i.seconds)::bigint * i.seconds end as starts
      from (select extract(epoch from clock_timestamp()) as at) m,
        unnest($1::text[], $2::text[], $3::text[], $4::int[], $5::int[], $6::int[])
          with ordinality as i(tenant, recipient, type, wanted, most, seconds, position)
    ), counted as materialized (
      select a.*, (
        select count(*)::int from postrider.rate_limit_slots s
        where s.tenant = a.tenant and s.recipient = a.recipient and s.type = a.type
          and s.window_start = to_timestamp(a.starts)
      ) as used
      from asked a
    ), held as materialized (
      select c.position, h.slot from counted c cross join lateral (
        select f.slot from (
          select n as slot
          from generate_series(1, case when (select bool_and(used + wanted <= most) from counted) then c.most else 0 end) n
          where not exists (
            select 1 from postrider.rate_limit_slots s
            where s.tenant = c.tenant and s.recipient = c.recipient and s.type = c.type
              and s.window_start = to_timestamp(c.starts) and s.slot = n
          )
          offset 0
        ) f
        where pg_try_advisory_xact_lock(hashtextextended(
          'postrider.rate:' || c.tenant || ':' || c.type || ':' || c.hex || ':' || c.starts, f.slot))
        limit c.wanted
      ) h
    ), inserted as (
      insert into postrider.rate_limit_slots (tenant, recipient, type, window_start, slot, expires_at)
      select c.tenant, c.recipient, c.type, to_timestamp(c.starts), h.slot,
        case when c.seconds > 0 then to_timestamp(c.starts + c.seconds) end
      from held h join counted c using (position)
      where (select count(*) from held) = (select sum(wanted) from counted)
      on conflict do nothing
      returning tenant, recipient, type, slot
    )
    select c.position, to_timestamp(c.starts)::text as window_start, c.used,
      case when c.seconds > 0 then (c.starts + c.seconds) * 1000::float8 end as reset_ms,
      case when c.seconds > 0 then (c.starts + c.seconds - c.at)::float8 end as reset_in,
      coalesce(h.slots, 0) as held, coalesce(i.slots, '') as inserted
    from counted c
      left join (select position, count(*)::int as slots from held group by position) h using (position)
      left join (
        select tenant, recipient, type, string_agg(slot::text, ',') as slots from inserted group by 1, 2, 3
      ) i on i.tenant = c.tenant and i.recipient = c.recipient and i.type = c.type
    order by c.position`,
};

const GIVE_BACK = {
  name: 'policy_give_back_rate_slots',
  text: `
    delete from postrider.rate_limit_slots s
    using unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) as g(tenant, recipient, type, starts, slot)
    where s.tenant = g.tenant and s.recipient = decode(g.recipient, 'hex') and s.type = g.type
      and s.window_start = g.starts::timestamptz and s.slot = g.slot`,
};
