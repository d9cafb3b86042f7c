import type pg from 'pg';

/** Fills the ledger by SQL, much faster than accepting: what is measured is what comes after. */

/** Copies of one accepted email, complete with body; their hash holds, because the content is the same. */
export async function cloneEmail(client: pg.Client, sampleId: string, count: number): Promise<void> {
  for (let done = 0; done < count; done += CHUNK) {
    await client.query(CLONE, [sampleId, Math.min(CHUNK, count - done)]);
  }
}

/** Rows that wait with nothing behind them: enough where they are only claimed, or never reached. */
export async function fillQueue(client: pg.Client, fill: QueueFill): Promise<void> {
  for (let done = 0; done < fill.count; done += CHUNK) {
    await client.query(FILL, [
      Math.min(CHUNK, fill.count - done),
      fill.tenants ?? 1,
      fill.route ?? 'default',
      fill.priority ?? 3,
      fill.tenantPrefix ?? 'tenant-',
    ]);
    fill.onProgress?.(Math.min(done + CHUNK, fill.count));
  }
}

export interface QueueFill {
  count: number;
  tenants?: number;
  route?: string;
  priority?: number;
  tenantPrefix?: string;
  onProgress?: (done: number) => void;
}

const CHUNK = 100_000;

const CLONE = `
  with copies as materialized (select postrider.new_id() as id from generate_series(1, $2::int)),
  mails as (
    insert into postrider.emails (id, tenant, type, lang, user_id, to_address, subject, message, metadata, priority,
      delivery, retry, max_attempts, route, request_id, content_hash)
    select c.id, e.tenant, e.type, e.lang, e.user_id, e.to_address, e.subject, e.message, e.metadata, e.priority,
      e.delivery, e.retry, e.max_attempts, e.route, c.id::text, e.content_hash
    from copies c, postrider.emails e where e.id = $1::uuid
  ), bodies as (
    insert into postrider.email_bodies (email_id, html, text, attachments)
    select c.id, b.html, b.text, b.attachments from copies c, postrider.email_bodies b where b.email_id = $1::uuid
  )
  insert into postrider.email_queue (id, bytes, max_attempts, priority, ready, bell, route, tenant)
  select c.id, octet_length(b.html) + octet_length(b.text), e.max_attempts, e.priority, true, false, e.route, e.tenant
  from copies c, postrider.emails e, postrider.email_bodies b where e.id = $1::uuid and b.email_id = $1::uuid`;

const FILL = `
  insert into postrider.email_queue (id, bytes, max_attempts, priority, ready, bell, route, tenant)
  select postrider.new_id(), 5000, 5, $4::int, true, false, $3, $5 || lpad((n % $2::int)::text, 5, '0')
  from generate_series(1, $1::int) n`;
