import type { Database } from '../store/index.js';
import { countQueue, type QueueCounts } from './queue-counts.js';

/** How much waits and for how long, for dashboards. */
export interface QueueDepth {
  depth: Array<{ priority: number; state: 'ready' | 'waiting' | 'parked' | 'processing'; count: number }>;
  /** Of more than 5,000 emails the counts are estimates. */
  estimated: boolean;
  oldestDueSeconds: number;
  workers: number;
}

export async function readQueueDepth(
  database: Database,
  counting: Promise<QueueCounts> = countQueue(database),
): Promise<QueueDepth> {
  const [queue, oldest, workers] = await Promise.all([
    counting,
    database.query<{ age: number | null }>(OLDEST),
    database.query<{ count: number }>(WORKERS),
  ]);
  return {
    depth: depthOf(queue),
    estimated: queue.estimated,
    oldestDueSeconds: Math.max(0, oldest.rows[0]?.age ?? 0),
    workers: workers.rows[0]?.count ?? 0,
  };
}

function depthOf({ groups }: QueueCounts): QueueDepth['depth'] {
  const depth = new Map<string, QueueDepth['depth'][number]>();
  for (const { priority, state, count } of groups) {
    const known = depth.get(`${priority} ${state}`);
    if (known) known.count += count;
    else depth.set(`${priority} ${state}`, { priority, state, count });
  }
  return [...depth.values()].sort((a, b) => a.priority - b.priority || (a.state < b.state ? -1 : 1));
}

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
