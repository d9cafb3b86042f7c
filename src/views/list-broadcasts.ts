import type { Queryable } from '../store/index.js';
import { readObject, shownObject, shownTime } from './shown-columns.js';

/**
 * Emails to a whole segment as operators look at them: whose, to whom, when, and how far each has come. Of all tenants or
 * of one, the newest first.
 */
export interface BroadcastSeen {
  id: string;
  companyId: string;
  name: string;
  subject: string | null;
  from: string | null;
  /** Null for a draft without one; its name is null once it is gone. */
  segment: { id: string; name: string | null } | null;
  /** `scheduled` can be taken back; from `sending` on everyone's email is being written. */
  status: 'draft' | 'scheduled' | 'sending' | 'sent' | 'failed';
  scheduledAt: string | null;
  createdAt: string;
  /** Null until it has begun. */
  run: BroadcastRun | null;
}

export interface BroadcastRun {
  state: 'running' | 'done' | 'failed' | 'expired';
  slot: string;
  total: number | null;
  lookedAt: number;
  queued: number;
  /** How many were passed over, by reason. */
  skipped: Record<string, number>;
  errorCount: number;
  lastError: string | null;
  finishedAt: string | null;
}

export interface BroadcastDetail extends BroadcastSeen {
  html: string | null;
  text: string | null;
}

export async function listBroadcasts(
  database: Queryable,
  { tenant = null, cursor = null, limit }: { tenant?: string | null; cursor?: string | null; limit: number },
): Promise<{ broadcasts: BroadcastSeen[]; nextCursor: string | null }> {
  const { rows } = await database.query<BroadcastRow>(
    `${SELECT} where ($1::text is null or b.tenant = $1) and ($2::uuid is null or b.id < $2::uuid)
     order by b.id desc limit $3::int`,
    [tenant, cursor, limit + 1],
  );
  const broadcasts = rows.slice(0, limit).map(present);
  return { broadcasts, nextCursor: rows.length > limit ? (broadcasts.at(-1)?.id ?? null) : null };
}

export async function findBroadcast(database: Queryable, id: string): Promise<BroadcastDetail | null> {
  const { rows } = await database.query<BroadcastRow & { html: string | null; text: string | null }>(
    `select x.*, c.content ->> 'html' as html, c.content ->> 'text' as text
     from (${SELECT} where b.id = $1::uuid) x join postrider.broadcasts c on c.id = x.id`,
    [id],
  );
  return rows[0] ? { ...present(rows[0]), html: rows[0].html, text: rows[0].text } : null;
}

interface BroadcastRow {
  id: string;
  tenant: string;
  name: string;
  subject: string | null;
  from: string | null;
  segment_id: string | null;
  segment_name: string | null;
  status: 'draft' | 'queued';
  scheduled_at: string | null;
  created_at: string;
  state: BroadcastRun['state'] | null;
  slot: string;
  total: number | null;
  looked_at: number;
  queued: number;
  skipped: string;
  error_count: number;
  last_error: string | null;
  finished_at: string | null;
}

function present(row: BroadcastRow): BroadcastSeen {
  return {
    ...{ id: row.id, companyId: row.tenant, name: row.name, subject: row.subject, from: row.from },
    segment: row.segment_id === null ? null : { id: row.segment_id, name: row.segment_name },
    status: row.state === null ? (row.status === 'draft' ? 'draft' : 'scheduled') : STATUS[row.state],
    scheduledAt: row.scheduled_at,
    createdAt: row.created_at,
    run: row.state && {
      ...{ state: row.state, slot: row.slot, total: row.total, lookedAt: row.looked_at },
      ...{ queued: row.queued, skipped: readObject(row.skipped) as Record<string, number> },
      ...{ errorCount: row.error_count, lastError: row.last_error },
      finishedAt: row.finished_at,
    },
  };
}

const STATUS = { running: 'sending', done: 'sent', failed: 'failed', expired: 'failed' } as const;

// Its id stands where other runs have a time zone.
const SELECT = `
  select b.id, b.tenant, b.name, b.content ->> 'subject' as subject, b.content ->> 'from' as "from", b.segment_id,
    s.name as segment_name, b.status, ${shownTime('b.scheduled_at')} as scheduled_at, ${shownTime('b.created_at')} as created_at,
    r.state, ${shownTime('r.slot')} as slot, r.total::float8 as total,
    r.looked_at::float8 as looked_at, r.queued::float8 as queued, ${shownObject('r.skipped')} as skipped, r.error_count::float8 as error_count,
    r.last_error, ${shownTime('r.finished_at')} as finished_at
  from postrider.broadcasts b
  left join postrider.segments s on s.id = b.segment_id
  left join lateral (
    select * from postrider.schedule_runs t where t.schedule = 'postrider.broadcasts' and t.zone = b.id::text
    order by t.slot desc limit 1
  ) r on true`;
