import type { Clock } from './kernel/index.js';
import type { Database } from './store/index.js';
import {
  FIGURE_HOURS,
  type Latency,
  readEmailStats,
  readLatency,
  readSeries,
  type SeriesPoint,
  type StepSeconds,
} from './views/index.js';

/** How it went over some hours: what was sent and what failed in steps, how long it took, and which types fail. */
export interface Figures {
  hours: number;
  stepSeconds: number;
  /** One for each step there is, empty ones too. */
  series: SeriesPoint[];
  totalSent: number;
  totalFailed: number;
  /** In percent of what ended either way. */
  failureRate: number;
  /** Of the latest two thousand that were sent. */
  latency: Latency;
  /** The types with the most failures. */
  failing: Array<{ type: string; sent: number; failed: number }>;
}

const STEPS = { 1: 300, 24: 3600, 168: 3600, 720: 86_400 } as const satisfies Record<string, StepSeconds>;
const MOST_TYPES = 8;

export async function readFigures(
  database: Database,
  clock: Clock,
  given: string | number,
): Promise<Figures> {
  const step = STEPS[FIGURE_HOURS.read(String(given), 'hours')!];
  const hours = Number(given);
  const last = Math.floor(clock.now() / 1000 / step) * step;
  const first = last - (Math.ceil((hours * 3600) / step) - 1) * step;
  const since = new Date(first * 1000);
  const [points, stats, latency] = await Promise.all([
    readSeries(database, { since, step }),
    readEmailStats(database, { since }),
    readLatency(database, since),
  ]);
  const known = new Map(points.map((point) => [point.at, point]));
  const series: SeriesPoint[] = [];
  for (let at = first; at <= last; at += step) series.push(known.get(at) ?? { at, sent: 0, failed: 0 });
  const { totalSent, totalFailed, failureRate, byType } = stats;
  const failing = Object.entries(byType)
    .map(([type, counts]) => ({ type, ...counts }))
    .filter(({ failed }) => failed > 0)
    .sort((a, b) => b.failed - a.failed)
    .slice(0, MOST_TYPES);
  return { hours, stepSeconds: step, series, totalSent, totalFailed, failureRate, latency, failing };
}
