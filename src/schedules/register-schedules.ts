import type { Database, Queryable } from '../store/index.js';
import type { Schedule } from './define-schedule.js';

/**
 * Writes down what this process has for schedules, so that others can list, pause and run them. One whose time was
 * changed counts from now: moving a daily email to an earlier hour does not send it a second time that day.
 */
export async function registerSchedules(
  database: Database,
  {
    schedules,
    defaultZone,
    now,
  }: { schedules: readonly Schedule[]; defaultZone: string; now(database: Queryable): Promise<number> },
): Promise<void> {
  await database.transaction(async (tx) => {
    const at = new Date(await now(tx)).toISOString();
    for (const { name, cron, timeZone, catchUp, campaign } of [...schedules].sort(byName)) {
      const { rows } = await tx.query<{ moved: boolean }>(REGISTER, [
        name,
        cron,
        timeZone ?? defaultZone,
        catchUp,
        campaign.notAgainForDays ?? 0,
      ]);
      if (rows[0]?.moved)
        await tx.query('update postrider.schedule_zones set fires_after = $2 where schedule = $1', [
          name,
          at,
        ]);
    }
  });
}

/**
 * Only those nobody has written down yet. A process that looks and does not fire may have other settings than those
 * that fire, and must not change what they go by.
 */
export async function registerMissing(
  database: Queryable,
  { schedules, defaultZone }: { schedules: readonly Schedule[]; defaultZone: string },
): Promise<void> {
  const sorted = [...schedules].sort(byName);
  await database.query(MISSING, [
    sorted.map(({ name }) => name),
    sorted.map(({ cron }) => cron),
    sorted.map(({ timeZone }) => timeZone ?? defaultZone),
    sorted.map(({ catchUp }) => catchUp),
  ]);
}

/** In one order, so that two processes that start together wait for each other instead of for ever. */
function byName(a: Schedule, b: Schedule): number {
  return a.name < b.name ? -1 : 1;
}

const MISSING = {
  name: 'schedules_register_missing',
  text: `
    insert into postrider.schedules (name, cron, time_zone, catch_up)
    select * from unnest($1::text[], $2::text[], $3::text[], $4::text[]) as n(name, cron, time_zone, catch_up)
    where not exists (select 1 from postrider.schedules s where s.name = n.name)
    on conflict (name) do nothing`,
};

const REGISTER = `
  with old as (select cron, time_zone from postrider.schedules where name = $1)
  insert into postrider.schedules as s (name, cron, time_zone, catch_up, not_again_days)
  values ($1, $2, $3, $4, $5::int)
  on conflict (name) do update set cron = excluded.cron, time_zone = excluded.time_zone,
    catch_up = excluded.catch_up, not_again_days = excluded.not_again_days, defined_at = clock_timestamp()
    where (s.cron, s.time_zone, s.catch_up, s.not_again_days)
      is distinct from (excluded.cron, excluded.time_zone, excluded.catch_up, excluded.not_again_days)
  returning exists (select 1 from old where (old.cron, old.time_zone) is distinct from (s.cron, s.time_zone)) as moved`;
