import type { Database, Queryable } from '../../store/index.js';
import { RUN_COLUMNS, type RunRow, type RunState, runOf, type ScheduleRun } from './run-record.js';

/** What is known of schedules and their runs, and whether they are paused. */
export interface ScheduleRow {
  name: string;
  cron: string | null;
  timeZone: string;
  catchUp: string;
  paused: boolean;
}

export async function readSchedules(database: Queryable, name?: string): Promise<ScheduleRow[]> {
  const { rows } = await database.query<ScheduleRow>(SCHEDULES, [name ?? null]);
  return rows;
}

export async function listRuns(
  database: Queryable,
  schedule: string,
  { limit, state }: { limit: number; state?: RunState },
): Promise<ScheduleRun[]> {
  const { rows } = await database.query<RunRow>(RUNS, [schedule, limit, state ?? null]);
  return rows.map(runOf);
}

/** Resuming counts from that moment on, in every zone. */
export async function setPaused(
  database: Database,
  name: string,
  paused: boolean,
  now: number,
): Promise<void> {
  const at = new Date(now).toISOString();
  await database.transaction(async (tx) => {
    if (paused) {
      await tx.query('update postrider.schedules set paused_at = coalesce(paused_at, $2) where name = $1', [
        name,
        at,
      ]);
      return;
    }
    const { rowCount } = await tx.query(
      'update postrider.schedules set paused_at = null where name = $1 and paused_at is not null returning name',
      [name],
    );
    if (rowCount > 0)
      await tx.query('update postrider.schedule_zones set fires_after = $2 where schedule = $1', [name, at]);
  });
}

/** Runs that ended long ago go, but for the last of each zone, from which the next is counted. */
export async function forgetOldRuns(database: Queryable): Promise<number> {
  const { rowCount } = await database.query(FORGET, [KEPT_DAYS, FORGET_BATCH]);
  return rowCount;
}

/** Runs that ended. */
export const KEPT_DAYS = 90;
const FORGET_BATCH = 1000;

const SCHEDULES = {
  name: 'schedules_list',
  text: `select name, cron, time_zone as "timeZone", catch_up as "catchUp", paused_at is not null as paused
         from postrider.schedules where $1::text is null or name = $1 order by name`,
};

const RUNS = {
  name: 'schedules_runs',
  text: `select ${RUN_COLUMNS} from postrider.schedule_runs r
         where r.schedule = $1 and ($3::text is null or r.state = $3)
         order by r.started_at desc, r.id desc limit $2::int`,
};

const FORGET = {
  name: 'schedules_forget_runs',
  text: `
    delete from postrider.schedule_runs where id = any(array(
      select r.id from postrider.schedule_runs r
      where r.finished_at < clock_timestamp() - $1::int * interval '1 day' and exists (
        select 1 from postrider.schedule_runs later
        where later.schedule = r.schedule and later.zone = r.zone and not later.manual and later.slot > r.slot)
      limit $2::int)) returning id`,
};
