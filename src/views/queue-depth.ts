import type { Queryable } from '../store/index.js';

/** How much waits and for how long, for dashboards; reads the queue once. */
export interface QueueDepth {
  depth: Array<{ priority: number; state: 'ready' | 'waiting' | 'parked' | 'processing'; count: number }>;
  oldestDueSeconds: number;
  workers: number;
}

export async function readQueueDepth(database: Queryable): Promise<QueueDepth> {
  const [depth, oldest, workers] = await Promise.all([
    database.query<QueueDepth['depth'][number]>(DEPTH),
    database.query<{ age: number | null }>(OLDEST),
    database.query<{ count: number }>(WORKERS),
  ]);
  return {
    depth: depth.rows,
    oldestDueSeconds: Math.max(0, oldest.rows[0]?.age ?? 0),
    workers: workers.rows[0]?.count ?? 0,
  };
}

const DEPTH = `
  select priority::int as priority, state, count(*)::int as count from (
    select priority, case when owner is not null then 'processing' when parked then 'parked'
      when ready or rung_at <= now() then 'ready' else 'waiting' end as state
    from postrider.email_queue
  ) q group by priority, state order by priority, state`;

// Ids are ordered by time, so the first ready one is the oldest; a scheduled one is as old as its time is past.
const OLDEST = `
  select extract(epoch from now() - least(now(), greatest('epoch', e.created_at, e.scheduled_at)))::float8 as age
  from (
    (select id from postrider.email_queue where ready order by id limit 1)
    union all
    (select id from (
       select id from postrider.email_queue where rung_at <= now() and owner is null offset 0) rung
     order by id limit 1)
    order by id limit 1
  ) q
  join lateral (select created_at, scheduled_at from postrider.emails x where x.id = q.id) e on true`;

const WORKERS = `
  select count(*)::int as count from postrider.workers
  where ended_at is null and beat_at > clock_timestamp() - interval '10 seconds'`;
