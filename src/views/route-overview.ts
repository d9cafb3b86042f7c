import type { Database } from '../store/index.js';
import { countQueue, type QueueCounts } from './queue-counts.js';

/** A route at a glance: whether it goes, how fast it may, and how many emails wait for it. */
export interface RouteOverview {
  name: string;
  /** null for a name that emails wait for and no worker was ever started with. */
  provider: string | null;
  circuit: 'closed' | 'open' | 'probing';
  /** Until an open circuit is probed. */
  opensInMs: number | null;
  reason: string | null;
  ratePerSecond: number | null;
  paused: boolean;
  waiting: number;
  /** `waiting` is an estimate, because more than 5,000 emails wait for all routes together. */
  estimated: boolean;
}

export async function readRoutes(
  database: Database,
  counting: Promise<QueueCounts> = countQueue(database),
): Promise<RouteOverview[]> {
  const { groups, estimated } = await counting;
  const waiting = new Map<string, number>();
  for (const { route, count } of groups) waiting.set(route, (waiting.get(route) ?? 0) + count);
  const { rows } = await database.query<RouteRow>(ROUTES, [[...waiting.keys()]]);
  return rows.map((row) => ({
    name: row.name,
    provider: row.provider,
    circuit: row.state,
    opensInMs: row.state === 'open' ? Math.round(row.remaining_ms) : null,
    reason: row.state === 'closed' ? null : row.reason,
    ratePerSecond: row.rate_per_second,
    paused: row.paused,
    waiting: waiting.get(row.name) ?? 0,
    estimated,
  }));
}

interface RouteRow {
  name: string;
  provider: string | null;
  state: RouteOverview['circuit'];
  remaining_ms: number;
  reason: string | null;
  rate_per_second: number | null;
  paused: boolean;
}

const ROUTES = `
  select coalesce(r.name, q.route) as name, r.provider, coalesce(r.state, 'closed') as state, r.reason,
    r.rate_per_second,
    greatest(0, extract(epoch from r.open_until - clock_timestamp()) * 1000)::float8 as remaining_ms,
    exists (select 1 from postrider.pauses p
            where p.scope = 'all' or (p.scope = 'route' and p.value = coalesce(r.name, q.route))) as paused
  from postrider.routes r
  full join unnest($1::text[]) q(route) on q.route = r.name
  order by 1`;
