import type { Database, Queryable } from '../store/index.js';

/** Reading, replaying and forgetting deliveries. A tenant of null means anyone's. */
export interface WebhookDelivery {
  id: string;
  endpointId: string;
  type: string;
  emailId: string | null;
  /** `attempting` while a request is under way. */
  status: 'pending' | 'attempting' | 'success' | 'failed';
  attempts: number;
  nextAttemptAt: string | null;
  createdAt: string;
}

export interface DeliveryAttempt {
  id: string;
  httpStatus: number | null;
  response: string | null;
  error: string | null;
  durationMs: number;
  sentAt: string;
}

export interface Which {
  tenant: string | null;
  endpointId: string;
}

export async function listDeliveries(
  database: Queryable,
  { tenant, endpointId }: Which,
  page: { limit: number; before: string | null; status: string | null; id?: string },
): Promise<Array<WebhookDelivery & { payload: Record<string, unknown> }>> {
  const { rows } = await database.query<WebhookDelivery & { payload: string }>(
    `select d.id, d.endpoint_id as "endpointId", d.type, d.email_id as "emailId",
       case when d.leased_until > now() then 'attempting' else d.status end as status,
       d.attempt::int as attempts, postrider.iso_time(d.due_at) as "nextAttemptAt",
       postrider.iso_time(d.created_at) as "createdAt", d.payload::text as payload
     from postrider.webhook_deliveries d
     where d.endpoint_id = $2 and ($1::text is null or d.tenant = $1) and ($3::uuid is null or d.id < $3)
       and ($4::text is null or d.status = $4) and ($5::uuid is null or d.id = $5)
     order by d.id desc limit $6::int`,
    [tenant, endpointId, page.before, page.status, page.id ?? null, page.limit],
  );
  return rows.map((row) => ({ ...row, payload: JSON.parse(row.payload) }));
}

export async function listAttempts(database: Queryable, deliveryId: string): Promise<DeliveryAttempt[]> {
  const { rows } = await database.query<DeliveryAttempt>(
    `select id, http_status::int as "httpStatus", response, error, duration_ms as "durationMs",
       postrider.iso_time(sent_at) as "sentAt"
     from postrider.webhook_attempts where delivery_id = $1 order by id`,
    [deliveryId],
  );
  return rows;
}

/** Makes deliveries due now with all their tries before them; what is under way is left to end. */
export async function replayDeliveries(
  tx: Queryable,
  { tenant, endpointId }: Which,
  range: { id?: string; since: Date | null; until: Date | null; status: string | null },
): Promise<number> {
  const { rows } = await tx.query(
    `update postrider.webhook_deliveries set status = 'pending', attempt = 0, due_at = clock_timestamp()
     where endpoint_id = $2 and ($1::text is null or tenant = $1) and ($3::uuid is null or id = $3)
       and ($4::timestamptz is null or created_at >= $4) and ($5::timestamptz is null or created_at < $5)
       and ($6::text is null or status = $6) and (leased_until is null or leased_until <= now())
     returning id`,
    [
      tenant,
      endpointId,
      range.id ?? null,
      range.since?.toISOString() ?? null,
      range.until?.toISOString() ?? null,
      range.status,
    ],
  );
  return rows.length;
}

/** Those of emails that are erased, and every one that names the person. */
export async function eraseDeliveries(
  database: Queryable,
  { emailIds = [], tenant = null, pattern = null }: ErasedDeliveries,
): Promise<number> {
  const { rows } = await database.query(
    `with gone as (
       delete from postrider.webhook_deliveries d
       where d.email_id = any ($1::uuid[])
         or ($3::text is not null and ($2::text is null or d.tenant = $2) and d.payload::text ~* $3)
       returning d.id
     ), attempts as (
       delete from postrider.webhook_attempts a using gone where a.delivery_id = gone.id
     )
     select id from gone`,
    [emailIds, tenant, pattern],
  );
  return rows.length;
}

export interface ErasedDeliveries {
  emailIds?: readonly string[];
  tenant?: string | null;
  /** Finds the person in text. */
  pattern?: string | null;
}

/** What is over, or was never to be delivered, after so many days. */
export async function forgetOldDeliveries(database: Database, days: number): Promise<number> {
  let total = 0;
  for (;;) {
    const { rows } = await database.query(FORGET, [days, BATCH]);
    total += rows.length;
    if (rows.length < BATCH) break;
  }
  await database.query(FORGET_ATTEMPTS, [days]);
  return total;
}

const BATCH = 2000;

const FORGET = `
  with gone as (
    delete from postrider.webhook_deliveries where id in (
      select id from postrider.webhook_deliveries
      where id < postrider.id_floor(now() - $1::int * interval '1 day')
      order by id limit $2::int)
    returning id
  ), attempts as (
    delete from postrider.webhook_attempts a using gone where a.delivery_id = gone.id
  )
  select id from gone`;

// A request that ended while its delivery was being removed leaves a row that belongs to nothing.
const FORGET_ATTEMPTS = `
  delete from postrider.webhook_attempts where id < postrider.id_floor(now() - $1::int * interval '1 day')`;
