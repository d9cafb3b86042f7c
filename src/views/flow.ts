import type { Database, Queryable } from '../store/index.js';

/** What happened in one second, by the clock of the database. */
export interface FlowSecond {
  /** Seconds since 1970. */
  at: number;
  accepted: number;
  sent: number;
  retrying: number;
  /** For good, or with an outcome nobody knows. */
  failed: number;
}

export interface FlowRead {
  now: number;
  /** The first second that was read. */
  from: number;
  seconds: FlowSecond[];
}

/** So many seconds are read whatever happened in them. */
const NEWEST_SECONDS = 5;
const MOST_SECONDS = 60;
/** What came before them is left out where more emails were accepted or attempted. */
const MOST_BEFORE = 20_000;

/** The seconds since one of them: the newest five, and of the last minute what is not much to read. */
export function readFlow(database: Database, since: number): Promise<FlowRead> {
  return database.transaction((tx) => readWithin(tx, since));
}

async function readWithin(tx: Queryable, since: number): Promise<FlowRead> {
  // Where nothing has been analysed, the planner would read a whole week for its last seconds.
  await tx.query('set local enable_seqscan = off');
  const newest = await readSeconds(tx, { since, lastSeconds: NEWEST_SECONDS, until: null, most: null });
  const { now } = newest;
  const from = Math.max(Math.ceil(since), now - NEWEST_SECONDS);
  const earlier = Math.max(Math.ceil(since), now - MOST_SECONDS);
  if (earlier >= from) return { now, from, seconds: newest.seconds };
  const before = await readSeconds(tx, {
    ...{ since: earlier, lastSeconds: MOST_SECONDS, until: from, most: MOST_BEFORE + 1 },
  });
  if (before.read > MOST_BEFORE) return { now, from, seconds: newest.seconds };
  return { now, from: earlier, seconds: [...before.seconds, ...newest.seconds] };
}

async function readSeconds(
  database: Queryable,
  window: { since: number; lastSeconds: number; until: number | null; most: number | null },
): Promise<{ now: number; read: number; seconds: FlowSecond[] }> {
  const { rows } = await database.query<FlowSecond & { now: number; read: number }>(FLOW, [
    ...[window.since, window.lastSeconds, window.until, window.most],
  ]);
  const seconds = rows
    .filter(({ at }) => at !== null)
    .map(({ now: _now, read: _read, ...second }) => second)
    .sort((a, b) => a.at - b.at);
  return { now: rows[0]?.now ?? 0, read: rows[0]?.read ?? 0, seconds };
}

// Ids carry the time of acceptance, by the clock of whoever accepted; so the range is taken a little wider.
const FLOW = {
  name: 'views_flow',
  text: `
    with span as materialized (
      select greatest(to_timestamp($1::float8), date_trunc('second', now()) - $2::int * interval '1 second') as low,
        coalesce(to_timestamp($3::float8), 'infinity') as high
    ), attempts as materialized (
      select a.settled_at, a.status, a.final from postrider.email_attempts a
      where a.settled_at >= (select low from span) and a.settled_at < (select high from span)
      limit $4::int
    ), accepted as materialized (
      select e.created_at from postrider.emails e
      where e.id >= postrider.id_floor((select low from span) - interval '2 seconds')
        and ($3::float8 is null or e.id < postrider.id_floor(to_timestamp($3::float8) + interval '2 seconds'))
        and e.created_at >= (select low from span) and e.created_at < (select high from span)
      limit $4::int
    ), ended as (
      select extract(epoch from date_trunc('second', settled_at))::float8 as at,
        count(*) filter (where status = 'sent')::int as sent,
        count(*) filter (where status = 'retry')::int as retrying,
        count(*) filter (where final and status in ('failed', 'unknown'))::int as failed
      from attempts group by 1
    ), begun as (
      select extract(epoch from date_trunc('second', created_at))::float8 as at, count(*)::int as accepted
      from accepted group by 1
    )
    select extract(epoch from date_trunc('second', now()))::float8 as now,
      greatest((select count(*) from attempts), (select count(*) from accepted))::int as read,
      x.at, coalesce(x.accepted, 0) as accepted, coalesce(x.sent, 0) as sent, coalesce(x.retrying, 0) as retrying,
      coalesce(x.failed, 0) as failed
    from (select 1) one
    left join (
      select coalesce(e.at, b.at) as at, b.accepted, e.sent, e.retrying, e.failed
      from ended e full join begun b on b.at = e.at
    ) x on true`,
};
