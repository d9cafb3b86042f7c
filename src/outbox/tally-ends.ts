import type { Database, Queryable } from '../store/index.js';

/**
 * Adds what has ended since the last time to the tallies, so that statistics over a million emails are a sum of a few
 * thousand small rows. One process at a time; the mark moves in the same transaction, so nothing is counted twice. It
 * stays behind the oldest transaction that is still open: what that one writes is counted next time. A log that was
 * never counted is counted a quarter of an hour at a time, each of them committed.
 */
export async function tallyEnds(
  database: Database,
  { behindMs = 5000, signal }: { behindMs?: number; signal?: AbortSignal } = {},
): Promise<number> {
  let counted = 0;
  if (await isFarBehind(database)) await summarize(database);
  while (!signal?.aborted) {
    const round = await database.transaction((tx) => countRange(tx, behindMs));
    if (round === null) break;
    counted += round.counted;
    if (!round.more) break;
  }
  if (counted > 0) await summarize(database);
  return counted;
}

/** null where another process counts. */
async function countRange(
  tx: Queryable,
  behindMs: number,
): Promise<{ counted: number; more: boolean } | null> {
  const lock = await tx.query<{ mine: boolean }>('select pg_try_advisory_xact_lock(7707, 16) as mine');
  if (!lock.rows[0]?.mine) return null;
  // Where nothing has been analysed, the planner would read a whole week to find that nothing ended in an hour of it.
  // What has no other way is then so dear that it would be compiled.
  await tx.query('set local enable_seqscan = off');
  await tx.query('set local jit = off');
  const { rows } = await tx.query<{ since: string; until: string; more: boolean }>(RANGE, [behindMs]);
  const range = rows[0];
  if (!range) return null;
  const { rowCount } = await tx.query(TALLY, [range.since, range.until]);
  await tx.query('update postrider.email_tally_mark set counted_until = $1::timestamptz', [range.until]);
  return { counted: rowCount, more: range.more };
}

async function isFarBehind(database: Database): Promise<boolean> {
  const { rows } = await database.query<{ far: boolean }>(
    "select counted_until < now() - interval '1 hour' as far from postrider.email_tally_mark",
  );
  return rows[0]?.far ?? false;
}

/** Pages written since the last vacuum are in no summary yet, and would all be read to find the latest ends. */
async function summarize(database: Database): Promise<void> {
  const { rows } = await database.query<{ index: string }>(NOT_SUMMARIZED);
  for (const { index } of rows)
    await database.query('select brin_summarize_new_values($1::regclass)', [index]);
}

/**
 * Of what is older than a month only the sums by hour and day are kept. The lower bound is for the planner: of one bound
 * alone, before statistics, it expects a third of the table.
 */
export async function forgetOldTallies(database: Database, days: number): Promise<void> {
  const past = "now() - $1::int * interval '1 day' - interval '7 days'";
  const ends = { email_tallies: `greatest(${past}, postrider.fine_tallies_from())`, email_tally_sums: past };
  for (const [table, end] of Object.entries(ends)) {
    let deleted = ROWS_AT_ONCE;
    while (deleted === ROWS_AT_ONCE) {
      const { rowCount } = await database.query(
        `delete from postrider.${table} where ctid = any (array(
           select ctid from postrider.${table} where bucket >= '-infinity' and bucket < ${end} limit ${ROWS_AT_ONCE}))`,
        [days],
      );
      deleted = rowCount ?? 0;
    }
  }
}

const ROWS_AT_ONCE = 10_000;

// Settling takes milliseconds; a transaction open for longer than ten minutes is somebody else's. Nothing ended before the
// oldest email was accepted, by a day for clocks that differ. Where nothing ended, a month or a day is passed over at once.
const RANGE = `
  with counted as materialized (
    select m.counted_until, greatest(m.counted_until, least(clock_timestamp() - $1::float8 * interval '1 millisecond', (
      select min(s.xact_start) from pg_stat_activity s
      where s.datname = current_database() and s.pid <> pg_backend_pid() and s.xact_start > now() - interval '10 minutes'
    ))) as latest, (
      select postrider.id_bucket(a.email_id) - interval '1 day' from postrider.email_attempts a order by a.email_id limit 1
    ) as earliest
    from postrider.email_tally_mark m
  ), range as materialized (
    select greatest(counted_until, least(latest, coalesce(earliest, latest))) as since, latest from counted
  )
  select r.since::text, u.until::text, u.until < r.latest as more from range r,
  lateral (select least(r.latest, case
    when r.since + interval '15 minutes' >= r.latest then r.latest
    when not ${anyEnd("r.since + interval '30 days'")} then r.since + interval '30 days'
    when not ${anyEnd("r.since + interval '1 day'")} then r.since + interval '1 day'
    else r.since + interval '15 minutes'
  end) as until offset 0) u`;

function anyEnd(until: string): string {
  return `(exists (select 1 from postrider.email_attempts a
        where a.settled_at > r.since and a.settled_at <= least(r.latest, ${until}))
      or exists (select 1 from postrider.email_facts f
        where f.created_at > r.since and f.created_at <= least(r.latest, ${until})))`;
}

// Each email is looked up by its id: in a log nobody has analysed a join would read all weeks for each stretch.
const TALLY = `
  insert into postrider.email_tallies (bucket, tenant, type, provider, status, count)
  select postrider.id_bucket(x.email_id), e.tenant, coalesce(e.type, ''), coalesce(x.provider, ''), x.status, sum(x.count)
  from (
    select a.email_id, a.provider, a.status, 1 as count from postrider.email_attempts a
    where a.final and a.settled_at > $1::timestamptz and a.settled_at <= $2::timestamptz
    union all
    select f.email_id, a.provider, a.status, -1 from postrider.email_facts f
    join lateral (
      select t.provider, t.status from postrider.email_attempts t
      where t.email_id = f.email_id and to_jsonb(t.attempt) = f.detail -> 'afterAttempt' offset 0
    ) a on true
    where f.type = 'REQUEUED' and f.created_at > $1::timestamptz and f.created_at <= $2::timestamptz
  ) x
  join lateral (select m.tenant, m.type from postrider.emails m where m.id = x.email_id offset 0) e on true
  group by 1, 2, 3, 4, 5
  on conflict (bucket, tenant, type, provider, status)
  do update set count = postrider.email_tallies.count + excluded.count
  returning count`;

const NOT_SUMMARIZED = `
  select i.indexrelid::regclass::text as index from pg_index i
  join pg_class x on x.oid = i.indexrelid
  join pg_am m on m.oid = x.relam and m.amname = 'brin'
  join pg_inherits h on h.inhrelid = i.indrelid
  where h.inhparent in ('postrider.email_attempts'::regclass, 'postrider.email_facts'::regclass)
    and pg_has_role(x.relowner, 'usage')`;
