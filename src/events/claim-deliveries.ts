import type { Database } from '../store/index.js';

/**
 * Takes what is due, under a lease: a process that dies leaves its deliveries due again when the lease ends, with the
 * same id. An endpoint's row is locked meanwhile, so that all processes together keep within its concurrency: a process
 * may hold more of an endpoint than it requests at once, while no other holds any. Tenants take turns, and none may hold
 * more places than it leaves free: whoever comes finds one, however slow others are.
 */
export interface DueDelivery {
  id: string;
  token: number;
  attempt: number;
  type: string;
  payload: Record<string, unknown>;
  endpointId: string;
  tenant: string;
  url: string;
  /** Within the overlap after a change of secret. */
  twoSecrets: boolean;
}

export interface Places {
  free: number;
  /** How many each tenant has under way here. */
  taken: ReadonlyMap<string, number>;
}

/** Of an endpoint this process knows: how many it holds, and how many more it may take while no other process holds any. */
export interface EndpointShare {
  endpointId: string;
  held: number;
  room: number;
}

export interface ClaimOptions {
  places: Places;
  perEndpoint: number;
  leaseMs: number;
  shares?: readonly EndpointShare[];
}

export async function claimDeliveries(
  database: Database,
  { places, perEndpoint, leaseMs, shares = [] }: ClaimOptions,
): Promise<DueDelivery[]> {
  const { rows: any } = await database.query<{ due: boolean }>(ANY_DUE);
  if (!any[0]?.due) return [];
  const { rows } = await database.transaction(async (tx) => {
    await tx.query(IN_ORDER);
    return tx.query<DueDelivery & { payload: unknown }>(CLAIM, [
      places.free,
      perEndpoint,
      leaseMs,
      [...places.taken.keys()],
      [...places.taken.values()],
      shares.map(({ endpointId }) => endpointId),
      shares.map(({ held }) => held),
      shares.map(({ room }) => room),
    ]);
  });
  return rows.map((row) => ({
    ...row,
    payload: typeof row.payload === 'string' ? JSON.parse(row.payload) : row.payload,
  }));
}

/** Gives back what this process will not finish; what it has settled has no lease any more and stays as it is. */
export async function releaseDeliveries(
  database: Database,
  deliveries: ReadonlyArray<Pick<DueDelivery, 'id' | 'token'>>,
): Promise<void> {
  await database.query(
    `update postrider.webhook_deliveries d set due_at = clock_timestamp(), leased_until = null
     from unnest($1::uuid[], $2::int[]) s(id, token)
     where d.id = s.id and d.token = s.token and d.leased_until is not null`,
    [deliveries.map(({ id }) => id), deliveries.map(({ token }) => token)],
  );
}

/** Of how many endpoints with something due one claim looks at. */
const MOST_ENDPOINTS = 500;
/** More than one process holds of an endpoint, or may request of it at once. */
const MOST_LEASES = 250;

/** Of an endpoint e. */
const IS_DUE = `(
        select true from postrider.webhook_deliveries d where d.endpoint_id = e.id and d.due_at <= now()
        order by d.due_at limit 1)`;

// Every process is woken for each delivery, and one of them claims it: the others put one small statement.
const ANY_DUE = {
  name: 'events_any_due',
  text: `
    select exists (
      select from postrider.webhook_endpoints e where e.disabled_at is null and ${IS_DUE}) as due`,
};

// Read as a bitmap, an index gives what was settled since the last vacuum again with each claim: 13 ms instead of one.
const IN_ORDER = 'set local enable_bitmapscan = off';

// `turn` is the place a delivery would be its tenant's how-manieth of; in that order the k-th is taken while its
// tenant's turn is within what is left free after those before it. Where two processes hold some of an endpoint, both
// keep within its concurrency, and the one with fewer takes no more: so the other is soon alone with it.
const CLAIM = {
  name: 'events_claim_fairly',
  text: `
    with open as materialized (
      select e.id, e.tenant, e.url, coalesce(e.old_secret_until > now(), false) as two_secrets
      from postrider.webhook_endpoints e
      where e.disabled_at is null and ${IS_DUE}
      order by random() limit ${MOST_ENDPOINTS}
      for no key update skip locked
    ), due as (
      select d.id, d.due_at, o.id as endpoint_id, o.tenant, o.url, o.two_secrets
      from (
        select open.*, case
          when l.leased <= coalesce(s.held, 0) then coalesce(s.room, $2::int)
          when s.held > 0 and s.held * 2 < l.leased then 0
          else greatest(0, $2::int - l.leased) end as room
        from open
        left join unnest($6::uuid[], $7::int[], $8::int[]) s(id, held, room) on s.id = open.id
        cross join lateral (
          select count(*)::int as leased from (
            select from postrider.webhook_deliveries x
            where x.endpoint_id = open.id and x.leased_until > now()
            order by x.leased_until limit ${MOST_LEASES}
          ) leases
        ) l
      ) o
      cross join lateral (
        select x.id, x.due_at from postrider.webhook_deliveries x
        where x.endpoint_id = o.id and x.due_at <= now()
        order by x.due_at limit o.room
      ) d
    ), turns as (
      select due.*, coalesce(t.count, 0)
        + row_number() over (partition by due.tenant order by due.due_at, due.id) as turn
      from due left join unnest($4::text[], $5::int[]) t(tenant, count) on t.tenant = due.tenant
    ), picked as (
      select turns.*, row_number() over (order by turn, due_at, id) as k from turns
    ), locked as materialized (
      select d.id, p.endpoint_id, p.url, p.two_secrets
      from picked p join postrider.webhook_deliveries d on d.id = p.id
      where p.turn + p.k - 1 <= $1::int and d.due_at <= now()
      for update of d skip locked
    )
    update postrider.webhook_deliveries d
    set token = d.token + 1, due_at = clock_timestamp() + $3::float8 * interval '1 millisecond',
      leased_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    from locked p where d.id = p.id
    returning d.id, d.token, d.attempt::int as attempt, d.type, d.payload, p.endpoint_id as "endpointId", d.tenant,
      p.url, p.two_secrets as "twoSecrets"`,
};
