import type { Queryable } from '../store/index.js';

/**
 * What people did, as the application reports it. A day is a day where the person lives. Checking in twice on one day,
 * or the same report twice, counts once; a report that comes late is put on its own day and the streak is counted anew.
 */
export async function reportCheckIn(tx: Queryable, recipientId: string, at: Date): Promise<CheckIn | null> {
  const { rows } = await tx.query<{ day: string; streak: number; counted: boolean }>(CHECK_IN, [
    recipientId,
    at.toISOString(),
  ]);
  const row = rows[0];
  return row ? { day: row.day, streakDays: row.streak, counted: row.counted } : null;
}

export interface CheckIn {
  /** The day it counts for, where the person lives, as 2026-05-14. */
  day: string;
  /** As of the last day with a check-in. */
  streakDays: number;
  /** False when that day had one already. */
  counted: boolean;
}

/** Whether there is such a person. */
export async function reportActivity(
  tx: Queryable,
  recipientId: string,
  { kind, at }: { kind: string; at: Date },
): Promise<boolean> {
  const { rows } = await tx.query(ACTIVITY, [recipientId, at.toISOString(), kind]);
  return rows.length > 0;
}

/** What each of these people did since a day, by kind, the most frequent first. */
export async function readRecentActivity(
  database: Queryable,
  recipientIds: readonly string[],
  sinceDay: string,
): Promise<Map<string, RecentActivity[]>> {
  const { rows } = await database.query<RecentActivity & { recipientId: string }>(RECENT, [
    recipientIds,
    sinceDay,
  ]);
  const byPerson = new Map<string, RecentActivity[]>();
  for (const { recipientId, ...activity } of rows) {
    const list = byPerson.get(recipientId);
    if (list) list.push(activity);
    else byPerson.set(recipientId, [activity]);
  }
  return byPerson;
}

/**
 * What people did longer ago than so many days is forgotten, a thousand rows at a time; but the days of a streak that
 * goes on are kept, since it is counted from them. Returns how many rows are gone.
 */
export async function forgetOldDays(database: Queryable, keptDays: number): Promise<number> {
  let total = 0;
  let after: [string, string] = ['-infinity', '00000000-0000-0000-0000-000000000000'];
  for (;;) {
    const { rows } = await database.query<{ day: string; id: string; seen: number; gone: number }>(
      FORGET_CHECK_INS,
      [...after, keptDays, FORGET_BATCH],
    );
    const page = rows[0];
    total += page?.gone ?? 0;
    if (!page || page.seen < FORGET_BATCH) break;
    after = [page.day, page.id];
  }
  for (;;) {
    const { rowCount } = await database.query(FORGET_ACTIVITIES, [keptDays, FORGET_BATCH]);
    total += rowCount;
    if (rowCount < FORGET_BATCH) return total;
  }
}

const FORGET_BATCH = 1000;

export interface RecentActivity {
  kind: string;
  /** On how many days. */
  days: number;
  /** How often it was reported. */
  count: number;
  lastDay: string;
}

// The lock makes two reports of one person follow each other, so that the later one counts both days.
const CHECK_IN = {
  name: 'recipients_check_in',
  text: `
    with person as materialized (
      select id, ($2::timestamptz at time zone coalesce(time_zone, 'UTC'))::date as day, last_check_in_on
      from postrider.recipients where id = $1 and deleted_at is null for update
    ), made as (
      insert into postrider.recipient_check_ins (recipient_id, day, checked_in_at)
      select id, day, $2::timestamptz from person on conflict do nothing returning day
    ), days as (
      select day, row_number() over (order by day desc)::integer as n from (
        select c.day from postrider.recipient_check_ins c where c.recipient_id = $1
        union select day from person
      ) d
    ), run as (
      select count(*)::integer as streak from days where day + n = (select max(day) from days) + 1
    ), noted as (
      update postrider.recipients r
      set last_check_in_on = greatest(r.last_check_in_on, person.day),
        last_check_in_at = greatest(r.last_check_in_at, $2::timestamptz),
        last_active_at = greatest(r.last_active_at, $2::timestamptz),
        streak_days = run.streak, updated_at = now()
      from person, run where r.id = person.id
      returning run.streak
    )
    select person.day::text as day, noted.streak, exists (select 1 from made) as counted from person, noted`,
};

const ACTIVITY = {
  name: 'recipients_activity',
  text: `
    with person as (
      update postrider.recipients r
      set last_active_at = greatest(r.last_active_at, $2::timestamptz), updated_at = now()
      where r.id = $1 and r.deleted_at is null
      returning r.id, ($2::timestamptz at time zone coalesce(r.time_zone, 'UTC'))::date as day
    )
    insert into postrider.recipient_activities as a (recipient_id, day, kind, last_at)
    select id, day, $3, $2::timestamptz from person
    on conflict (recipient_id, day, kind)
    do update set count = a.count + 1, last_at = greatest(a.last_at, excluded.last_at)
    returning recipient_id`,
};

const RECENT = {
  name: 'recipients_recent_activity',
  text: `
    select recipient_id as "recipientId", kind, count(*)::integer as days, sum(count)::integer as count,
      max(day)::text as "lastDay"
    from postrider.recipient_activities
    where recipient_id = any ($1::uuid[]) and day >= $2::date
    group by recipient_id, kind order by recipient_id, sum(count) desc, kind`,
};

const FORGET_CHECK_INS = {
  name: 'recipients_forget_check_ins',
  text: `
    with page as materialized (
      select recipient_id, day from postrider.recipient_check_ins
      where (day, recipient_id) > ($1::date, $2::uuid) and day < current_date - $3::int
      order by day, recipient_id limit $4::int
    ), gone as (
      delete from postrider.recipient_check_ins c using page p join postrider.recipients r on r.id = p.recipient_id
      where c.recipient_id = p.recipient_id and c.day = p.day
        and (r.last_check_in_on is null or p.day <= r.last_check_in_on - r.streak_days) returning 1
    )
    select day::text as day, recipient_id as id, (select count(*)::int from page) as seen,
      (select count(*)::int from gone) as gone
    from page order by page.day desc, recipient_id desc limit 1`,
};

const FORGET_ACTIVITIES = {
  name: 'recipients_forget_activities',
  text: `
    delete from postrider.recipient_activities a
    using (
      select recipient_id, day, kind from postrider.recipient_activities
      where day < current_date - $1::int order by day limit $2::int
    ) old
    where a.recipient_id = old.recipient_id and a.day = old.day and a.kind = old.kind returning a.kind`,
};
