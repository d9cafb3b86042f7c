import type { Queryable } from '../../store/index.js';
import { RUN_COLUMNS, type RunRow, runOf, type ScheduleRun } from './run-record.js';

/**
 * Finds a run to go on with and keeps others from it for a few seconds, so that two processes do not both fetch what
 * only one can write. That is courtesy: what makes it safe is the lock and the cursor of each page.
 */
export interface TakenRun extends ScheduleRun {
  cursor: string | null;
}

export async function takeRun(database: Queryable, schedules: readonly string[]): Promise<TakenRun | null> {
  const { rows } = await database.query<RunRow & { cursor: string | null }>(TAKE, [schedules, COURTESY_MS]);
  return rows[0] ? { ...runOf(rows[0]), cursor: rows[0].cursor } : null;
}

/** Leaves it to whoever comes next. */
export async function leaveRun(database: Queryable, runId: string): Promise<void> {
  await database.query(
    `update postrider.schedule_runs set resume_at = clock_timestamp() where id = $1 and state = 'running'`,
    [runId],
  );
}

/** A page could not be done: later again, and after several times in a row not any more. */
export async function recordFailure(
  database: Queryable,
  runId: string,
  message: string,
): Promise<{ failed: boolean }> {
  const { rows } = await database.query<{ state: string }>(FAIL, [
    runId,
    message.slice(0, MAX_MESSAGE),
    MAX_FAILURES,
  ]);
  return { failed: rows[0]?.state === 'failed' };
}

export const COURTESY_MS = 5000;
const MAX_FAILURES = 8;
const MAX_MESSAGE = 500;

// The oldest slot of a schedule in a zone comes first and alone. A clock that was set back must not hold a run for
// hours, hence the second condition on resume_at: nothing is ever put off that far.
const TAKE = {
  name: 'schedules_take_run',
  text: `
    update postrider.schedule_runs r
    set resume_at = clock_timestamp() + $2::int * interval '1 millisecond'
    from (
      select o.id from postrider.schedule_runs o
      join postrider.schedules s on s.name = o.schedule and s.paused_at is null
      where o.state = 'running' and o.schedule = any($1::text[])
        and (o.resume_at <= clock_timestamp() or o.resume_at > clock_timestamp() + interval '5 minutes')
        and not exists (
          select 1 from postrider.schedule_runs e
          where e.state = 'running' and e.schedule = o.schedule and e.zone = o.zone and e.slot < o.slot)
      order by o.slot limit 1 for update of o skip locked
    ) found
    where r.id = found.id
    returning r.cursor, ${RUN_COLUMNS}`,
};

const FAIL = {
  name: 'schedules_fail_page',
  text: `
    update postrider.schedule_runs r
    set failures = failures + 1, last_error = $2,
      state = case when failures + 1 >= $3::int then 'failed' else 'running' end,
      finished_at = case when failures + 1 >= $3::int then clock_timestamp() end,
      resume_at = clock_timestamp() + least(60, power(2, failures)) * interval '1 second'
    where id = $1 and state = 'running' returning r.state`,
};
