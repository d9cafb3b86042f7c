import type { Database } from '../store/index.js';

/**
 * Adds what has ended since the last time to the tallies, so that statistics over a million emails are a sum of a few
 * thousand small rows. One process at a time; the mark moves in the same transaction, so nothing is counted twice. It
 * stays behind the oldest transaction that is still open: what that one writes is counted next time.
 */
export async function tallyEnds(database: Database, { behindMs = 5000 } = {}): Promise<number> {
  const counted = await database.transaction(async (tx) => {
    const lock = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock(7707, 16) as mine');
    if (!lock.rows[0]?.mine) return 0;
    const { rows } = await tx.query<{ since: string; until: string }>(RANGE, [behindMs]);
    const range = rows[0];
    if (!range) return 0;
    const { rowCount } = await tx.query(TALLY, [range.since, range.until]);
    await tx.query('update postrider.email_tally_mark set counted_until = $1::timestamptz', [range.until]);
    return rowCount;
  });
  if (counted > 0) await database.query(SUMMARIZE);
  return counted;
}

export async function forgetOldTallies(database: Database, days: number): Promise<void> {
  for (const table of ['email_tallies', 'email_tally_sums'])
    await database.query(
      `delete from postrider.${table} where bucket < now() - $1::int * interval '1 day' - interval '7 days'`,
      [days],
    );
}

// Settling takes milliseconds; a transaction open for longer than ten minutes is somebody else's.
const RANGE = `
  select m.counted_until::text as since, greatest(m.counted_until, least(clock_timestamp() - $1::float8 * interval '1 millisecond', (
    select min(s.xact_start) from pg_stat_activity s
    where s.datname = current_database() and s.pid <> pg_backend_pid() and s.xact_start > now() - interval '10 minutes'
  )))::text as until
  from postrider.email_tally_mark m`;

const TALLY = `
  insert into postrider.email_tallies (bucket, tenant, type, provider, status, count)
  select postrider.id_bucket(e.id), e.tenant, coalesce(e.type, ''), coalesce(x.provider, ''), x.status, sum(x.count)
  from (
    select a.email_id, a.provider, a.status, 1 as count from postrider.email_attempts a
    where a.final and a.settled_at > $1::timestamptz and a.settled_at <= $2::timestamptz
    union all
    select f.email_id, a.provider, a.status, -1 from postrider.email_facts f
    join postrider.email_attempts a on a.email_id = f.email_id and a.attempt = (f.detail ->> 'afterAttempt')::int
    where f.type = 'REQUEUED' and f.created_at > $1::timestamptz and f.created_at <= $2::timestamptz
  ) x
  join postrider.emails e on e.id = x.email_id
  group by 1, 2, 3, 4, 5
  on conflict (bucket, tenant, type, provider, status)
  do update set count = postrider.email_tallies.count + excluded.count
  returning count`;

// Pages written since the last vacuum are in no summary yet, and would all be read to find the latest ends.
const SUMMARIZE = `
  select brin_summarize_new_values(i.indexrelid) from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_am m on m.oid = x.relam and m.amname = 'brin'
  join pg_inherits h on h.inhrelid = i.indrelid
  where h.inhparent in ('postrider.email_attempts'::regclass, 'postrider.email_facts'::regclass)
    and pg_has_role(x.relowner, 'usage')`;
