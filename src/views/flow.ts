import type { Queryable } from '../store/index.js';

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

/** The seconds since one of them, but never more than the last minute, so that looking costs the same at any load. */
export async function readFlow(
  database: Queryable,
  since: number,
): Promise<{ now: number; seconds: FlowSecond[] }> {
  const { rows } = await database.query<FlowSecond & { now: number }>(FLOW, [since]);
  const now = rows[0]?.now ?? 0;
  const seconds = rows
    .filter(({ at }) => at !== null)
    .map(({ now: _now, ...second }) => second)
    .sort((a, b) => a.at - b.at);
  return { now, seconds };
}

// Ids carry the time of acceptance, by the clock of whoever accepted; so the range is taken a little wider.
const FLOW = {
  name: 'views_flow',
  text: `
    with ended as (
      select extract(epoch from date_trunc('second', a.settled_at))::float8 as at,
        count(*) filter (where a.status = 'sent')::int as sent,
        count(*) filter (where a.status = 'retry')::int as retrying,
        count(*) filter (where a.final and a.status in ('failed', 'unknown'))::int as failed
      from postrider.email_attempts a
      where a.settled_at >= greatest(to_timestamp($1::float8), date_trunc('second', now()) - interval '60 seconds')
        and isfinite(a.settled_at)
      group by 1
    ), begun as (
      select extract(epoch from date_trunc('second', e.created_at))::float8 as at, count(*)::int as accepted
      from postrider.emails e
      where e.id >= postrider.id_floor(greatest(to_timestamp($1::float8), now() - interval '60 seconds') - interval '2 seconds')
        and e.created_at >= greatest(to_timestamp($1::float8), date_trunc('second', now()) - interval '60 seconds')
        and isfinite(e.created_at)
      group by 1
    )
    select extract(epoch from date_trunc('second', now()))::float8 as now, x.at, coalesce(x.accepted, 0) as accepted,
      coalesce(x.sent, 0) as sent, coalesce(x.retrying, 0) as retrying, coalesce(x.failed, 0) as failed
    from (select 1) one
    left join (
      select coalesce(e.at, b.at) as at, b.accepted, e.sent, e.retrying, e.failed
      from ended e full join begun b on b.at = e.at
    ) x on true`,
};
