import type { Queryable } from '../store/index.js';
import type { WebhookEndpoint } from './endpoint.js';

/** The rows of endpoints: made, read, changed, removed. A tenant of null means anyone's. */
/** Null when the tenant has as many as it may. */
export async function insertEndpoint(
  tx: Queryable,
  endpoint: { tenant: string; url: string; events: string[]; description: string | null },
  most: number,
): Promise<WebhookEndpoint | null> {
  const { rows } = await tx.query<WebhookEndpoint>(
    `insert into postrider.webhook_endpoints as e (tenant, url, events, description)
     select $1, $2, $3::text[], $4
     where (select count(*) from postrider.webhook_endpoints where tenant = $1) < $5
     returning ${SHOWN}`,
    [endpoint.tenant, endpoint.url, endpoint.events, endpoint.description, most],
  );
  return rows[0] ?? null;
}

export async function readEndpoints(
  database: Queryable,
  { tenant, id }: { tenant: string | null; id?: string },
): Promise<WebhookEndpoint[]> {
  const { rows } = await database.query<WebhookEndpoint>(
    `select ${SHOWN} from postrider.webhook_endpoints e
     where ($1::text is null or e.tenant = $1) and ($2::uuid is null or e.id = $2) order by e.id`,
    [tenant, id ?? null],
  );
  return rows;
}

export async function updateEndpoint(
  tx: Queryable,
  { tenant, id }: { tenant: string | null; id: string },
  change: { url?: string; events?: string[]; description?: string | null; disabled?: boolean },
): Promise<WebhookEndpoint | null> {
  const { rows } = await tx.query<WebhookEndpoint>(
    `update postrider.webhook_endpoints e set
       url = coalesce($3, e.url),
       events = coalesce($4::text[], e.events),
       description = case when $5::boolean then $6 else e.description end,
       disabled_at = case $7::boolean when true then coalesce(e.disabled_at, now()) when false then null
         else e.disabled_at end,
       disabled_reason = case $7::boolean when true then coalesce(e.disabled_reason, 'by hand') when false then null
         else e.disabled_reason end,
       failing_since = case when $7::boolean is false or $3 is not null then null else e.failing_since end
     where e.id = $2 and ($1::text is null or e.tenant = $1) returning ${SHOWN}`,
    [
      tenant,
      id,
      change.url ?? null,
      change.events ?? null,
      change.description !== undefined,
      change.description ?? null,
      change.disabled ?? null,
    ],
  );
  return rows[0] ?? null;
}

/** Until when the secret in use so far goes on signing beside the new one. */
export async function keepOldSecret(
  tx: Queryable,
  { tenant, id }: { tenant: string | null; id: string },
  overlapMs: number,
): Promise<boolean> {
  const { rows } = await tx.query(
    `update postrider.webhook_endpoints set old_secret_until = now() + $3::float8 * interval '1 millisecond'
     where id = $2 and ($1::text is null or tenant = $1) returning id`,
    [tenant, id, overlapMs],
  );
  return rows.length > 0;
}

/** With everything it was told. */
export async function deleteEndpoint(
  tx: Queryable,
  { tenant, id }: { tenant: string | null; id: string },
): Promise<boolean> {
  const { rows } = await tx.query(
    `with gone as (
       delete from postrider.webhook_endpoints where id = $2 and ($1::text is null or tenant = $1) returning id
     ), deliveries as (
       delete from postrider.webhook_deliveries d using gone where d.endpoint_id = gone.id returning d.id
     ), attempts as (
       delete from postrider.webhook_attempts a using deliveries d where a.delivery_id = d.id
     )
     select id from gone`,
    [tenant, id],
  );
  return rows.length > 0;
}

/** One that was turned off because nothing reaches it. */
export interface DisabledEndpoint {
  endpointId: string;
  tenant: string;
  url: string;
  reason: string;
}

/** Told to the tenant's other endpoints; null when it still has time, or was disabled by someone else. */
export async function disableFailing(
  database: Queryable,
  id: string,
  { afterMs, gone }: { afterMs: number; gone: boolean },
): Promise<DisabledEndpoint | null> {
  const { rows } = await database.query<DisabledEndpoint>(DISABLE, [id, afterMs, gone]);
  return rows[0] ?? null;
}

const DISABLE = `
  with off as (
    update postrider.webhook_endpoints set disabled_at = now(),
      disabled_reason = case when $3::boolean then 'it answered 410 Gone' else 'nothing reached it since '
        || postrider.iso_time(failing_since) end
    where id = $1 and disabled_at is null
      and ($3::boolean or failing_since < now() - $2::float8 * interval '1 millisecond')
    returning id, tenant, url, disabled_reason as reason
  ), told as (
    insert into postrider.webhook_deliveries (endpoint_id, tenant, type, payload)
    select w.id, w.tenant, 'webhook.disabled', jsonb_build_object('type', 'webhook.disabled',
      'created_at', postrider.iso_time(now()),
      'data', jsonb_build_object('webhook_id', off.id, 'endpoint', off.url, 'reason', off.reason))
    from off join postrider.webhook_endpoints w on w.tenant = off.tenant and w.id <> off.id
      and w.disabled_at is null and 'webhook.disabled' = any (w.events)
  )
  select id as "endpointId", tenant, url, reason from off`;

const SHOWN = `e.id, e.tenant as "companyId", e.url, e.events, e.description,
  case when e.disabled_at is null then 'enabled' else 'disabled' end as status,
  postrider.iso_time(e.disabled_at) as "disabledAt", e.disabled_reason as "disabledReason", postrider.iso_time(e.failing_since) as "failingSince",
  postrider.iso_time(e.created_at) as "createdAt"`;
