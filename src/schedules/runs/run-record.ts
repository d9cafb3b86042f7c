import { field } from '../../kernel/index.js';

/** One firing of a schedule: when it was due, how far it has come, and what came of it. */
export interface ScheduleRun {
  runId: string;
  schedule: string;
  zone: string;
  slot: Date;
  /** Told to run, not due. */
  manual: boolean;
  state: RunState;
  /** How many there are to look at; null where only the application knows. */
  total: number | null;
  lookedAt: number;
  queued: number;
  /** How many were passed over, by reason. */
  skipped: Record<string, number>;
  /** How many emails could not be made; `errors` has the first hundred. */
  errorCount: number;
  errors: RunError[];
  /** Why it does not come on, or why it failed. */
  lastError: string | null;
  startedAt: Date;
  finishedAt: Date | null;
}

export type RunState = (typeof STATES)[number];
const STATES = ['running', 'done', 'failed', 'expired'] as const;

/** A page of runs. */
export const RUN_PAGE_FIELDS = { limit: field.whole(1, 1000), state: field.choice(STATES) } as const;

export interface RunError {
  /** The recipient's id, or the hash of the application's own key. */
  recipientId: string;
  code: string;
  message: string;
}

export const RUN_COLUMNS = `r.id, r.schedule, r.zone, r.slot, r.manual, r.state, r.total::float8 as total,
  r.looked_at::float8 as looked_at, r.queued::float8 as queued, r.skipped::text as skipped,
  r.error_count::float8 as error_count, r.errors::text as errors, r.last_error, r.started_at, r.finished_at`;

export interface RunRow {
  id: string;
  schedule: string;
  zone: string;
  slot: Date;
  manual: boolean;
  state: RunState;
  total: number | null;
  looked_at: number;
  queued: number;
  skipped: string;
  error_count: number;
  errors: string;
  last_error: string | null;
  started_at: Date;
  finished_at: Date | null;
}

export function runOf(row: RunRow): ScheduleRun {
  return {
    runId: row.id,
    schedule: row.schedule,
    zone: row.zone,
    slot: row.slot,
    manual: row.manual,
    state: row.state,
    total: row.total,
    lookedAt: row.looked_at,
    queued: row.queued,
    skipped: JSON.parse(row.skipped) as Record<string, number>,
    errorCount: row.error_count,
    errors: JSON.parse(row.errors) as RunError[],
    lastError: row.last_error,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
