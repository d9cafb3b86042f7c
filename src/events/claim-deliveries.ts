import type { Database } from '../store/index.js';

/**
 * Takes what is due, under a lease: a process that dies leaves its deliveries due again when the lease ends, with the
 * same id. An endpoint's row is locked meanwhile, so that all processes together keep within its concurrency. Tenants
 * take turns, and none may hold more places than it leaves free: whoever comes finds one, however slow others are.
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

export async function claimDeliveries(
  database: Database,
  { places, perEndpoint, leaseMs }: { places: Places; perEndpoint: number; leaseMs: number },
): Promise<DueDelivery[]> {
  const { rows } = await database.query<DueDelivery & { payload: unknown }>(CLAIM, [
    places.free,
    perEndpoint,
    leaseMs,
    [...places.taken.keys()],
    [...places.taken.values()],
  ]);
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

// `turn` is the place a delivery would be its tenant's how-manieth of; in that order the k-th is taken while its
// tenant's turn is within what is left free after those before it.
const CLAIM = {
  name: 'events_claim_fairly',
  text: `
    with open as materialized (
      select e.id, e.tenant, e.url, coalesce(e.old_secret_until > now(), false) as two_secrets
      from postrider.webhook_endpoints e
      where e.disabled_at is null and exists (
        select 1 from postrider.webhook_deliveries d where d.endpoint_id = e.id and d.due_at <= now())
      order by random() limit ${MOST_ENDPOINTS}
      for no key update skip locked
    ), due as (
      select d.id, d.due_at, o.id as endpoint_id, o.tenant, o.url, o.two_secrets
      from (
        select open.*, greatest(0, $2::int - (select count(*) from postrider.webhook_deliveries l
          where l.endpoint_id = open.id and l.leased_until > now())) as room
        from open
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
