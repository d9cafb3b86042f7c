import type { Queryable } from '../../store/index.js';
import { KEPT_DAYS } from './list-runs.js';

/**
 * For which slot a person was last written to. One row per schedule and person: what keeps a person from being written
 * to twice in a run, and again before the time.
 */
export async function findMarks(
  tx: Queryable,
  schedule: string,
  recipients: readonly string[],
): Promise<Map<string, Date>> {
  if (recipients.length === 0) return new Map();
  const { rows } = await tx.query<{ recipient: string; slot: Date }>(FIND, [schedule, recipients]);
  return new Map(rows.map((row) => [row.recipient, row.slot]));
}

/**
 * False when another run has written to one of them since they were looked up. In order of key, so that two runs that
 * meet in one person wait for each other instead of for ever.
 */
export async function setMarks(
  tx: Queryable,
  schedule: string,
  recipients: readonly string[],
  slot: Date,
): Promise<boolean> {
  if (recipients.length === 0) return true;
  const sorted = [...recipients].sort();
  const { rows } = await tx.query(SET, [schedule, sorted, slot.toISOString()]);
  return rows.length === sorted.length;
}

/**
 * Marks that decide nothing any more go: older than the days in which nobody is written to again, and than every run
 * that is kept or still open. Looks at each mark once, in order of key; returns how many are gone.
 */
export async function forgetOldMarks(database: Queryable): Promise<number> {
  let after = ['', ''];
  let total = 0;
  for (;;) {
    const { rows } = await database.query<{
      schedule: string;
      recipient: string;
      seen: number;
      gone: number;
    }>(FORGET, [...after, FORGET_BATCH, KEPT_DAYS]);
    const page = rows[0];
    if (!page) return total;
    total += page.gone;
    if (page.seen < FORGET_BATCH) return total;
    after = [page.schedule, page.recipient];
  }
}

const FORGET_BATCH = 5000;

// Each mark by its whole key: of a list PostgreSQL may compare every mark of the schedule, where it believes the table to
// be empty.
const FIND = {
  name: 'schedules_find_marks',
  text: `
    select m.recipient, m.slot from unnest($2::text[]) r(recipient)
    cross join lateral (
      select s.recipient, s.slot from postrider.schedule_marks s
      where s.schedule = $1 and s.recipient = r.recipient offset 0
    ) m`,
};

const SET = {
  name: 'schedules_set_marks',
  text: `
    insert into postrider.schedule_marks as m (schedule, recipient, slot)
    select $1, x.recipient, $3::timestamptz from unnest($2::text[]) with ordinality as x(recipient, position)
    order by x.position
    on conflict (schedule, recipient) do update set slot = excluded.slot where m.slot < excluded.slot
    returning recipient`,
};

const FORGET = {
  name: 'schedules_forget_marks',
  text: `
    with page as materialized (
      select schedule, recipient, slot from postrider.schedule_marks
      where (schedule, recipient) > ($1, $2) order by schedule, recipient limit $3::int
    ), old as materialized (
      select s.name, least(now() - (s.not_again_days + $4::int) * interval '1 day', (
        select min(r.slot) from postrider.schedule_runs r where r.schedule = s.name and r.state = 'running')) as slot
      from postrider.schedules s where s.not_again_days is not null
    ), gone as (
      delete from postrider.schedule_marks m using page p join old o on o.name = p.schedule
      where m.schedule = p.schedule and m.recipient = p.recipient and p.slot < o.slot and m.slot < o.slot returning 1
    )
    select schedule, recipient, (select count(*)::int from page) as seen, (select count(*)::int from gone) as gone
    from page order by schedule desc, recipient desc limit 1`,
};
