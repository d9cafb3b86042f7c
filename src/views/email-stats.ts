import type { Queryable } from '../store/index.js';
import { type EmailFilter, sourceOf } from './email-filter.js';

/**
 * How many emails of a filter were sent and how many failed, in all and by type. Read from the tallies and what has
 * ended since they were made, so that it costs the same for a thousand emails and a million; only one recipient's or
 * one user's are counted one by one. Times hold to five minutes.
 */
export interface EmailStats {
  totalSent: number;
  totalFailed: number;
  /** In percent of what ended either way, to two digits. */
  failureRate: number;
  byType: Record<string, { sent: number; failed: number }>;
}

/** Where an email names no type. */
export const UNTYPED = '(none)';

export async function readEmailStats(database: Queryable, filter: EmailFilter): Promise<EmailStats> {
  const single = filter.recipients ?? filter.userId ?? filter.ids;
  const rows = single === undefined ? await fromTallies(database, filter) : await oneByOne(database, filter);
  const stats: EmailStats = { totalSent: 0, totalFailed: 0, failureRate: 0, byType: {} };
  for (const { type, status, count } of rows) {
    if (count === 0) continue;
    const name = type === null || type === '' ? UNTYPED : type;
    stats.byType[name] ??= { sent: 0, failed: 0 };
    stats.byType[name][status] += count;
    stats[status === 'sent' ? 'totalSent' : 'totalFailed'] += count;
  }
  const ended = stats.totalSent + stats.totalFailed;
  if (ended > 0) stats.failureRate = Math.round((stats.totalFailed / ended) * 10_000) / 100;
  return stats;
}

interface CountRow {
  type: string | null;
  status: 'sent' | 'failed';
  count: number;
}

async function fromTallies(database: Queryable, filter: EmailFilter): Promise<CountRow[]> {
  const { rows } = await database.query<CountRow>(STATS, [
    filter.since?.toISOString() ?? null,
    filter.until?.toISOString() ?? null,
    filter.tenant ?? null,
    filter.type ?? null,
    filter.provider ?? null,
  ]);
  return rows;
}

async function oneByOne(database: Queryable, filter: EmailFilter): Promise<CountRow[]> {
  const counts: CountRow[] = [];
  for (const status of ['sent', 'failed'] as const) {
    const { from, id, where, values } = sourceOf({ ...filter, status });
    const { rows } = await database.query<{ type: string | null; count: number }>(
      `select m.type, count(*)::int as count from (select ${id} as id from ${from} where ${where.join(' and ')}) p
       join postrider.emails m on m.id = p.id group by 1`,
      values,
    );
    counts.push(...rows.map((row) => ({ ...row, status })));
  }
  return counts;
}

// Both ends of the range are taken to the step they lie in.
const IN_RANGE = (bucket: string) => `
  ($1::timestamptz is null or ${bucket} > $1::timestamptz - interval '5 minutes')
  and ($2::timestamptz is null or ${bucket} < $2::timestamptz)`;

const STATS = {
  name: 'views_email_stats',
  text: `
    with mark as materialized (
      select counted_until from postrider.email_tally_mark
    ), later as (
      select a.email_id, a.provider, a.status, 1 as count from postrider.email_attempts a
      where a.final and a.status in ('sent', 'failed') and a.settled_at > (select counted_until from mark)
      union all
      select f.email_id, a.provider, a.status, -1 from postrider.email_facts f
      join postrider.email_attempts a on a.email_id = f.email_id and a.attempt = (f.detail ->> 'afterAttempt')::int
      where f.type = 'REQUEUED' and f.created_at > (select counted_until from mark) and a.status in ('sent', 'failed')
    )
    select type, status, sum(count)::int as count from (
      select t.type, t.status::text as status, t.count from postrider.email_tallies t
      where t.status in ('sent', 'failed') and ${IN_RANGE('t.bucket')} and ($3::text is null or t.tenant = $3)
        and ($4::text is null or t.type = $4) and ($5::text is null or t.provider = $5)
      union all
      select coalesce(e.type, ''), l.status::text, l.count from later l
      join postrider.emails e on e.id = l.email_id
      where ${IN_RANGE('postrider.id_bucket(l.email_id)')} and ($3::text is null or e.tenant = $3)
        and ($4::text is null or e.type = $4) and ($5::text is null or l.provider = $5)
    ) x group by 1, 2`,
};
