import { killPoint } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { NOT_BEGUN } from './cancel-email.js';

/**
 * Takes back every waiting email a filter means, in small batches, or only counts them. A row that a worker is just
 * taking is passed over and looked for again; one whose attempt has begun is left, as a single cancel leaves it.
 */
export interface CancelFilter {
  tenant?: string;
  type?: string;
  recipients?: readonly string[];
  status?: 'scheduled' | 'pending' | 'retry' | 'processing';
  since?: Date;
  until?: Date;
}

const BATCH = 1000;
const PASSES = 5;
const FIRST = '00000000-0000-0000-0000-000000000000';

export async function countCancellable(database: Database, filter: CancelFilter): Promise<number> {
  const { where, values } = conditions(filter);
  const { rows } = await database.query<{ count: number }>(
    `select count(*)::int as count from postrider.email_queue q join postrider.emails e on e.id = q.id
     where ${where.join(' and ')}`,
    values,
  );
  return rows[0]?.count ?? 0;
}

/** Returns how many were cancelled. Each batch is a transaction: what was done stays done. */
export async function cancelMany(
  database: Database,
  filter: CancelFilter,
  options: { by?: string; onProgress?(cancelled: number): void } = {},
): Promise<number> {
  const detail = JSON.stringify({ by: options.by ?? 'caller', bulk: true });
  let total = 0;
  for (let pass = 0; pass < PASSES; pass++) {
    let cursor = FIRST;
    let found = 0;
    for (;;) {
      const batch = await cancelBatch(database, filter, { cursor, detail });
      if (batch.picked > 0) killPoint('cancel-many:batch');
      total += batch.cancelled;
      found += batch.cancelled;
      if (batch.cancelled > 0) options.onProgress?.(total);
      if (batch.picked < BATCH || batch.last === null) break;
      cursor = batch.last;
    }
    if (found === 0) break;
  }
  return total;
}

async function cancelBatch(
  database: Database,
  filter: CancelFilter,
  { cursor, detail }: { cursor: string; detail: string },
): Promise<{ picked: number; cancelled: number; last: string | null }> {
  const { where, values } = conditions(filter);
  const { rows } = await database.query<{ picked: number; cancelled: number; last: string | null }>(
    `with picked as materialized (
       select q.id from postrider.email_queue q join postrider.emails e on e.id = q.id
       where ${where.join(' and ')} and q.id > $${values.push(cursor)}::uuid
       order by q.id limit ${BATCH} for update of q skip locked
     ), gone as (
       delete from postrider.email_queue q using picked where q.id = picked.id returning q.id
     ), facts as (
       insert into postrider.email_facts (email_id, type, final_status, detail)
       select id, 'CANCELLED', 'cancelled', $${values.push(detail)}::text::jsonb from gone
     )
     select (select count(*)::int from picked) as picked, (select count(*)::int from gone) as cancelled,
       (select max(id::text) from picked) as last`,
    values,
  );
  return rows[0] ?? { picked: 0, cancelled: 0, last: null };
}

const STATUS = {
  processing: 'q.owner is not null',
  scheduled: 'q.owner is null and q.scheduled',
  retry: 'q.owner is null and not q.scheduled and q.attempt > 0',
  pending: 'q.owner is null and not q.scheduled and q.attempt = 0',
};

function conditions(filter: CancelFilter): { where: string[]; values: unknown[] } {
  const values: unknown[] = [];
  const value = (v: unknown) => `$${values.push(v)}`;
  const where: string[] = [NOT_BEGUN('q')];
  if (filter.tenant !== undefined) where.push(`q.tenant = ${value(filter.tenant)}`);
  if (filter.type !== undefined) where.push(`e.type = ${value(filter.type)}`);
  if (filter.recipients)
    where.push(
      `lower(e.to_address) collate "C" = any (select lower(x) from unnest(${value(filter.recipients)}::text[]) x)`,
    );
  if (filter.status) where.push(STATUS[filter.status]);
  if (filter.since)
    where.push(`q.id >= postrider.id_floor(${value(filter.since.toISOString())}::timestamptz)`);
  if (filter.until)
    where.push(`q.id < postrider.id_floor(${value(filter.until.toISOString())}::timestamptz)`);
  return { where, values };
}
