import type { Queryable } from '../store/index.js';
import { type RouteOverview, readRoutes } from './route-overview.js';
import { shownTime } from './shown-columns.js';

/** What waits and who works, at a glance. Ended emails are counted over the last day only. */
export interface Overview {
  byStatus: Record<string, number>;
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

export async function readOverview(database: Queryable): Promise<Overview> {
  const [waiting, ended, oldest, workers, pauses, routes] = await Promise.all([
    database.query<{ status: string; count: number }>(WAITING),
    database.query<{ status: string; count: number }>(ENDED),
    database.query<{ age: number | null }>(OLDEST),
    database.query<{ id: number; instance: string; host: string; pid: number; age: number }>(WORKERS),
    database.query<ShownPause>(
      `select scope, value, reason, events, ${shownTime('created_at')} as "createdAt" from postrider.pauses order by scope, value`,
    ),
    readRoutes(database),
  ]);
  return {
    byStatus: Object.fromEntries([...waiting.rows, ...ended.rows].map((row) => [row.status, row.count])),
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

const WAITING = `
  select status, count(*)::int as count from (
    select case when owner is not null then 'processing' when scheduled then 'scheduled'
      when attempt > 0 then 'retry' else 'pending' end as status
    from postrider.email_queue
  ) q group by status`;

const ENDED = `
  select status, count(*)::int as count from (
    select status::text from postrider.email_attempts
    where email_id >= postrider.id_floor(now() - interval '1 day') and final
    union all
    select final_status::text from postrider.email_facts
    where email_id >= postrider.id_floor(now() - interval '1 day') and final_status is not null
  ) e group by status`;

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
