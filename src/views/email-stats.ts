import { newRecord } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import { type EmailFilter, sourceOf } from './email-filter.js';
import { inKeptSteps, momentText, type Piece, tallyPieces } from './tally-pieces.js';

/**
 * How many emails of a filter were sent and how many failed, in all and by type. Read from the tallies and what has
 * ended since they were made, so that it costs the same for a thousand emails and a million; only one recipient's or
 * one user's are counted one by one. Times hold to five minutes, and to days (UTC) where they are older than a month.
 */
export interface EmailStats {
  totalSent: number;
  totalFailed: number;
  /** In percent of what ended either way, to two digits. */
  failureRate: number;
  byType: Record<string, { sent: number; failed: number }>;
}

/** Where an email names no type. */
export const UNTYPED = '(none)';

export async function readEmailStats(database: Queryable, filter: EmailFilter): Promise<EmailStats> {
  const single = filter.recipients ?? filter.userId ?? filter.ids;
  const rows = single === undefined ? await fromTallies(database, filter) : await oneByOne(database, filter);
  const stats: EmailStats = { totalSent: 0, totalFailed: 0, failureRate: 0, byType: newRecord() };
  for (const { type, status, count } of rows) {
    if (count === 0) continue;
    const name = type === null || type === '' ? UNTYPED : type;
    stats.byType[name] ??= { sent: 0, failed: 0 };
    stats.byType[name][status] += count;
    stats[status === 'sent' ? 'totalSent' : 'totalFailed'] += count;
  }
  const ended = stats.totalSent + stats.totalFailed;
  if (ended > 0) stats.failureRate = Math.round((stats.totalFailed / ended) * 10_000) / 100;
  return stats;
}

interface CountRow {
  type: string | null;
  status: 'sent' | 'failed';
  count: number;
}

async function fromTallies(database: Queryable, filter: EmailFilter): Promise<CountRow[]> {
  const { tenant, type, provider } = filter;
  const { rows: marks } = await database.query<{ at: string; fine_from: number }>(MARK);
  const { since, until } = inKeptSteps(filter, marks[0]?.fine_from ?? Number.NEGATIVE_INFINITY);
  const { days, hours, steps } = tallyPieces(since, until);
  // Of one tenant there are no hours: what is left of its days is added up from its tallies.
  const coarse = tenant === undefined ? [...days, ...hours] : days;
  const fine = tenant === undefined ? steps : [...hours, ...steps];
  const { rows } = await database.query<CountRow>(STATS, [
    ...[since?.toISOString() ?? null, until?.toISOString() ?? null],
    ...[tenant ?? null, type ?? null, provider ?? null],
    coarse.map((piece) => (days.includes(piece) ? 24 : 1)),
    ...endsOf(coarse),
    ...endsOf(fine),
    marks[0]?.at ?? '-infinity',
  ]);
  return rows;
}

function endsOf(pieces: readonly Piece[]): [string[], string[]] {
  return [pieces.map(([from]) => momentText(from)), pieces.map(([, to]) => momentText(to))];
}

/**
 * The emails first, then the ends of each by their ids: a join would read how every email of the log ended. An end that a
 * person answered with another round is no end any more.
 */
async function oneByOne(
  database: Queryable,
  { status: _any, provider, ...filter }: EmailFilter,
): Promise<CountRow[]> {
  const { from, where, values } = sourceOf(filter);
  const by = provider === undefined ? '' : `and t.provider = $${values.push(provider)}`;
  const { rows } = await database.query<CountRow>(
    `select m.type, a.status, count(*)::int as count
     from (select e.id, e.type from ${from} where ${where.join(' and ')} offset 0) m
     join lateral (
       select t.status::text as status from postrider.email_attempts t
       where t.email_id = m.id and t.final and t.status in ('sent', 'failed') ${by}
         and not (t.status = 'failed' and exists (
           select 1 from postrider.email_facts f where f.email_id = t.email_id
             and f.type = 'REQUEUED' and f.detail -> 'afterAttempt' = to_jsonb(t.attempt)))
       offset 0
     ) a on true
     group by 1, 2`,
    values,
  );
  return rows;
}

// Both ends of the range are taken to the step they lie in.
const IN_RANGE = (bucket: string) => `
  ($1::timestamptz is null or ${bucket} > $1::timestamptz - interval '5 minutes')
  and ($2::timestamptz is null or ${bucket} < $2::timestamptz)`;

const MARK = {
  name: 'views_tally_mark',
  text: `
    select counted_until::text as at,
      extract(epoch from postrider.fine_tallies_from() + interval '1 day')::float8 * 1000 as fine_from
    from postrider.email_tally_mark`,
};

// Planned each time: where the tallies end is a value the planner must see ($11), or it expects a third of the ledger to
// have ended since and reads all of it. The mark itself is read again in the statement, because it may have moved since.
const STATS = `
  with mark as materialized (
    select counted_until from postrider.email_tally_mark
  ), later as (
    select a.email_id, a.provider, a.status, 1 as count from postrider.email_attempts a
    where a.final and a.status in ('sent', 'failed') and a.settled_at > $11::timestamptz
      and a.settled_at > (select counted_until from mark)
    union all
    select f.email_id, a.provider, a.status, -1 from postrider.email_facts f
    join postrider.email_attempts a on a.email_id = f.email_id and to_jsonb(a.attempt) = f.detail -> 'afterAttempt'
    where f.type = 'REQUEUED' and f.created_at > $11::timestamptz and f.created_at > (select counted_until from mark)
      and a.status in ('sent', 'failed')
  )
  select type, status, sum(count)::int as count from (
    select s.type, s.status::text as status, s.count
    from unnest($6::int[], $7::timestamptz[], $8::timestamptz[]) p(hours, since, until)
    join lateral (
      select * from postrider.email_tally_sums t
      where t.tenant = coalesce($3::text, '') and t.hours = p.hours and t.bucket >= p.since and t.bucket < p.until
    ) s on s.status in ('sent', 'failed') and ($4::text is null or s.type = $4) and ($5::text is null or s.provider = $5)
    union all
    select s.type, s.status::text, s.count
    from unnest($9::timestamptz[], $10::timestamptz[]) p(since, until)
    join lateral (
      select * from postrider.email_tallies t
      where t.bucket >= p.since and t.bucket < p.until and ($3::text is null or t.tenant = $3)
    ) s on s.status in ('sent', 'failed') and ($4::text is null or s.type = $4) and ($5::text is null or s.provider = $5)
    union all
    select coalesce(e.type, ''), l.status::text, l.count from later l
    join lateral (select x.tenant, x.type from postrider.emails x where x.id = l.email_id offset 0) e on true
    where ${IN_RANGE('postrider.id_bucket(l.email_id)')} and ($3::text is null or e.tenant = $3)
      and ($4::text is null or e.type = $4) and ($5::text is null or l.provider = $5)
  ) x group by 1, 2`;
