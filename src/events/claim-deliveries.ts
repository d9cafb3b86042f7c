import type { Database } from '../store/index.js';

/**
 * Takes what is due, under a lease: a process that dies leaves its deliveries due again when the lease ends, with the
 * same id. An endpoint's row is locked meanwhile, so that all processes together keep within its concurrency.
 */
export interface DueDelivery {
  id: string;
  token: number;
  attempt: number;
  type: string;
  payload: Record<string, unknown>;
  endpointId: string;
  url: string;
  /** Within the overlap after a change of secret. */
  twoSecrets: boolean;
}

export async function claimDeliveries(
  database: Database,
  { limit, perEndpoint, leaseMs }: { limit: number; perEndpoint: number; leaseMs: number },
): Promise<DueDelivery[]> {
  const { rows } = await database.query<DueDelivery & { payload: unknown }>(CLAIM, [
    limit,
    perEndpoint,
    leaseMs,
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

const CLAIM = {
  name: 'events_claim_deliveries',
  text: `
    with open as materialized (
      select e.id, e.url, coalesce(e.old_secret_until > now(), false) as two_secrets
      from postrider.webhook_endpoints e
      where e.disabled_at is null and exists (
        select 1 from postrider.webhook_deliveries d where d.endpoint_id = e.id and d.due_at <= now())
      order by random()
      for no key update skip locked
    ), picked as materialized (
      select d.id, o.id as endpoint_id, o.url, o.two_secrets
      from (
        select open.*, greatest(0, $2::int - (select count(*) from postrider.webhook_deliveries l
          where l.endpoint_id = open.id and l.leased_until > now())) as room
        from open
      ) o
      cross join lateral (
        select x.id from postrider.webhook_deliveries x
        where x.endpoint_id = o.id and x.due_at <= now()
        order by x.due_at limit o.room for update skip locked
      ) d
      limit $1::int
    )
    update postrider.webhook_deliveries d
    set token = d.token + 1, due_at = clock_timestamp() + $3::float8 * interval '1 millisecond',
      leased_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    from picked p where d.id = p.id
    returning d.id, d.token, d.attempt::int as attempt, d.type, d.payload, p.endpoint_id as "endpointId", p.url,
      p.two_secrets as "twoSecrets"`,
};
