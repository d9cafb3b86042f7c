import type { Queryable } from '../../store/index.js';
import type { RunError } from './run-record.js';
import { COURTESY_MS } from './take-run.js';

/**
 * The part of a page that makes it happen once: the run's row is locked and must still stand where the page begins;
 * what came of the page and the new cursor are written before the same transaction ends.
 */
export interface RunPosition {
  cursor: string | null;
  lookedAt: number;
  queued: number;
  skipped: Record<string, number>;
  errorCount: number;
  errors: RunError[];
}

/** Null when the run is over, paused, or being worked on. */
export async function lockRun(tx: Queryable, runId: string): Promise<RunPosition | null> {
  const { rows } = await tx.query<{
    cursor: string | null;
    looked_at: number;
    queued: number;
    skipped: string;
    error_count: number;
    errors: string;
  }>(LOCK, [runId]);
  const row = rows[0];
  if (!row) return null;
  return {
    cursor: row.cursor,
    lookedAt: row.looked_at,
    queued: row.queued,
    skipped: JSON.parse(row.skipped) as Record<string, number>,
    errorCount: row.error_count,
    errors: JSON.parse(row.errors) as RunError[],
  };
}

export async function saveRun(
  tx: Queryable,
  runId: string,
  position: RunPosition,
  end: 'done' | 'expired' | null,
): Promise<void> {
  await tx.query(SAVE, [
    runId,
    position.cursor,
    position.lookedAt,
    position.queued,
    JSON.stringify(position.skipped),
    position.errorCount,
    JSON.stringify(position.errors.slice(0, MAX_ERRORS)),
    end ?? 'running',
    COURTESY_MS,
  ]);
}

export async function saveTotal(database: Queryable, runId: string, total: number): Promise<void> {
  await database.query('update postrider.schedule_runs set total = $2 where id = $1', [runId, total]);
}

const MAX_ERRORS = 100;

// A process that was frozen with the lock in its hands loses it.
const LOCK = {
  name: 'schedules_lock_run',
  text: `
    select r.cursor, r.looked_at::float8 as looked_at, r.queued::float8 as queued, r.skipped::text as skipped,
      r.error_count::float8 as error_count, r.errors::text as errors,
      set_config('idle_in_transaction_session_timeout', '30s', true)
    from postrider.schedule_runs r join postrider.schedules s on s.name = r.schedule and s.paused_at is null
    where r.id = $1 and r.state = 'running' for update of r skip locked`,
};

const SAVE = {
  name: 'schedules_save_run',
  text: `
    update postrider.schedule_runs
    set cursor = $2, looked_at = $3::float8::bigint, queued = $4::float8::bigint, skipped = $5::text::jsonb,
      error_count = $6::float8::bigint, errors = $7::text::jsonb, state = $8::text, failures = 0, last_error = null,
      finished_at = case when $8::text <> 'running' then clock_timestamp() end,
      resume_at = clock_timestamp() + $9::int * interval '1 millisecond'
    where id = $1`,
};
