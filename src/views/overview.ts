import type { Database, Queryable } from '../store/index.js';
import { BY_INDEX, countQueue } from './queue-counts.js';
import { type RouteOverview, readRoutes } from './route-overview.js';
import { shownTime } from './shown-columns.js';

/** What waits and who works, at a glance. Ended emails are counted over the last day only. */
export interface Overview {
  byStatus: Record<string, number>;
  /** `byStatus` holds estimates, because more than 5,000 emails wait or ended. */
  estimated: boolean;
  oldestWaitingSeconds: number | null;
  workers: Array<{ id: number; name: string; host: string; pid: number; beatAgeMs: number; alive: boolean }>;
  pauses: ShownPause[];
  routes: RouteOverview[];
}

export interface ShownPause {
  scope: string;
  value: string;
  reason: string | null;
  /** Whether webhooks, bus events and schedules are held too. */
  events: boolean;
  createdAt: string;
}

const ALIVE_MS = 10_000;

export async function readOverview(database: Database): Promise<Overview> {
  const counting = countQueue(database);
  const [queue, ended, oldest, workers, pauses, routes] = await Promise.all([
    counting,
    database.transaction(countEnded),
    database.query<{ age: number | null }>(OLDEST),
    database.query<{ id: number; instance: string; host: string; pid: number; age: number }>(WORKERS),
    database.query<ShownPause>(
      `select scope, value, reason, events, ${shownTime('created_at')} as "createdAt" from postrider.pauses order by scope, value`,
    ),
    readRoutes(database, counting),
  ]);
  return {
    byStatus: sums([...queue.groups, ...ended.counts]),
    estimated: queue.estimated || ended.estimated,
    oldestWaitingSeconds: oldest.rows[0]?.age ?? null,
    workers: workers.rows.map((row) => ({
      id: row.id,
      name: row.instance,
      host: row.host,
      pid: row.pid,
      beatAgeMs: Math.round(row.age),
      alive: row.age < ALIVE_MS,
    })),
    pauses: pauses.rows,
    routes,
  };
}

interface StatusCount {
  status: string;
  count: number;
}

function sums(counts: readonly StatusCount[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { status, count } of counts) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}

const EXACT_UP_TO = 5000;
const MOST_FACTS = 20_000;

/**
 * Emails of the last day that have ended. Few are counted. Of more, those that ended in an attempt are read from the
 * hourly sums, which are half a minute behind and begin with the hour; all others are counted up to 20,000.
 */
async function countEnded(database: Queryable): Promise<{ counts: StatusCount[]; estimated: boolean }> {
  await database.query(BY_INDEX);
  const few = await database.query<StatusCount & { truncated: boolean }>(FEW_ENDED, [EXACT_UP_TO]);
  if (!few.rows.some(({ truncated }) => truncated)) return { counts: few.rows, estimated: false };
  const many = await database.query<StatusCount>(MANY_ENDED, [MOST_FACTS]);
  const counted = sums(few.rows);
  const counts = sums(many.rows);
  // Sums that were not made yet say less than what was just seen.
  for (const [status, count] of Object.entries(counted))
    counts[status] = Math.max(counts[status] ?? 0, count);
  return {
    counts: Object.entries(counts).map(([status, count]) => ({ status, count })),
    estimated: true,
  };
}

// Status by status, as the index has them: what providers said of other emails is not read.
const endedOtherwise = (most: string) => `
    select ended.status::text from unnest(enum_range(null::postrider.email_status)) s(status)
    cross join lateral (
      select f.final_status as status from postrider.email_facts f
      where f.final_status = s.status and f.email_id >= postrider.id_floor(now() - interval '1 day')
      order by f.email_id desc limit ${most}
    ) ended`;

const FEW_ENDED = `
  with attempted as materialized (
    select status::text from postrider.email_attempts
    where email_id >= postrider.id_floor(now() - interval '1 day') and final
    order by email_id desc limit $1::int + 1
  ), others as materialized (
    ${endedOtherwise('$1::int + 1')}
  )
  select status, count(*)::int as count,
    (select count(*) from attempted) > $1::int or (select count(*) from others) > $1::int as truncated
  from (select status from attempted union all select status from others) e group by status`;

const MANY_ENDED = `
  select status::text, greatest(0, sum(count))::float8 as count from postrider.email_tally_sums
  where tenant = '' and hours = 1 and bucket >= date_trunc('hour', now() - interval '1 day') group by status
  union all
  select status, count(*)::float8 from (${endedOtherwise('$1::int')}) f group by status`;

const OLDEST = `
  select extract(epoch from now() - min(e.created_at) filter (where isfinite(e.created_at)))::float8 as age
  from (
    (select id from postrider.email_queue where ready order by id limit 1)
    union all
    (select id from (
       select id from postrider.email_queue where rung_at <= now() and owner is null offset 0) rung
     order by id limit 1)
    order by id limit 1
  ) q
  join lateral (select created_at from postrider.emails x where x.id = q.id) e on true`;

const WORKERS = `
  select id, instance, host, pid, (extract(epoch from clock_timestamp() - beat_at) * 1000)::float8 as age
  from postrider.workers where ended_at is null order by id`;
