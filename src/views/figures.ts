import { field } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';

/** What ended how over hours or weeks, in steps; read from the tallies and what has ended since they were made. */
export interface SeriesPoint {
  /** Where the step begins, in seconds since 1970; emails count where they were accepted. */
  at: number;
  sent: number;
  failed: number;
}

/** How long the latest emails took from when they were due to when they were sent. */
export interface Latency {
  count: number;
  p50Ms: number | null;
  p95Ms: number | null;
  p99Ms: number | null;
}

/** How far back figures go. */
export const FIGURE_HOURS = field.choice(['1', '24', '168', '720']);

/** The steps there are figures in: five minutes, an hour, a day. */
export type StepSeconds = 300 | 3600 | 86_400;

export async function readSeries(
  database: Queryable,
  { since, step }: { since: Date; step: StepSeconds },
): Promise<SeriesPoint[]> {
  const { rows: marks } = await database.query<{ at: string }>(
    'select counted_until::text as at from postrider.email_tally_mark',
  );
  const mark = marks[0]?.at ?? '-infinity';
  const { rows } = await database.query<SeriesPoint>(step === 300 ? FINE : COARSE, [
    ...[since.toISOString(), step, mark],
    ...(step === 300 ? [] : [step / 3600]),
  ]);
  return rows;
}

export async function readLatency(database: Queryable, since: Date): Promise<Latency> {
  const { rows } = await database.query<{ count: number; figures: number[] | null }>(LATENCY, [
    since.toISOString(),
    SAMPLE,
  ]);
  const [p50Ms = null, p95Ms = null, p99Ms = null] = rows[0]?.figures ?? [];
  return { count: rows[0]?.count ?? 0, p50Ms, p95Ms, p99Ms };
}

const SAMPLE = 2000;

// Planned each time, as with the statistics: where the tallies end is a value the planner must see.
const series = (tallies: string) => `
  with mark as materialized (
    select counted_until from postrider.email_tally_mark
  ), later as (
    select a.email_id, a.status, 1 as count from postrider.email_attempts a
    where a.final and a.status in ('sent', 'failed') and a.settled_at > $3::timestamptz
      and a.settled_at > (select counted_until from mark)
    union all
    select f.email_id, a.status, -1 from postrider.email_facts f
    join postrider.email_attempts a on a.email_id = f.email_id and to_jsonb(a.attempt) = f.detail -> 'afterAttempt'
    where f.type = 'REQUEUED' and f.created_at > $3::timestamptz and f.created_at > (select counted_until from mark)
      and a.status in ('sent', 'failed')
  )
  select at, coalesce(sum(count) filter (where status = 'sent'), 0)::int as sent,
    coalesce(sum(count) filter (where status = 'failed'), 0)::int as failed
  from (
    ${tallies}
    union all
    select (floor(extract(epoch from postrider.id_bucket(l.email_id)) / $2::int) * $2::int)::float8, l.status, l.count
    from later l where postrider.id_bucket(l.email_id) >= $1::timestamptz
  ) x group by at order by at`;

const FINE = series(`
    select extract(epoch from t.bucket)::float8 as at, t.status, t.count::bigint as count from postrider.email_tallies t
    where t.bucket >= $1::timestamptz and t.status in ('sent', 'failed')`);

const COARSE = series(`
    select extract(epoch from t.bucket)::float8 as at, t.status, t.count from postrider.email_tally_sums t
    where t.tenant = '' and t.hours = $4::int and t.bucket >= $1::timestamptz and t.status in ('sent', 'failed')`);

const LATENCY = `
  select count(*)::int as count, percentile_disc(array[0.5, 0.95, 0.99]) within group (order by x.ms) as figures from (
    select round(extract(epoch from a.settled_at - least(a.settled_at, greatest('epoch', e.created_at, e.scheduled_at))) * 1000)::float8 as ms
    from (
      select t.email_id, t.settled_at from postrider.email_attempts t
      where t.email_id >= postrider.id_floor($1::timestamptz) and t.final and t.status = 'sent' and isfinite(t.settled_at)
      order by t.email_id desc limit $2::int
    ) a
    join lateral (select s.created_at, s.scheduled_at from postrider.emails s where s.id = a.email_id offset 0) e on true
  ) x`;
