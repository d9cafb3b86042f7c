import type { ScheduleRun, ScheduleSeen } from '../../../src/schedules/index.js';

/** A run and a schedule as they come over HTTP, where instants are text. */
export type RunSeen = Omit<ScheduleRun, 'slot' | 'startedAt' | 'finishedAt'> & {
  slot: string;
  startedAt: string;
  finishedAt: string | null;
};

/** What is shown of any run. */
export type RunShown = Pick<
  RunSeen,
  'state' | 'slot' | 'total' | 'lookedAt' | 'queued' | 'skipped' | 'errorCount' | 'lastError'
>;

export type Scheduled = Omit<ScheduleSeen, 'next' | 'last'> & { next: string | null; last: RunSeen | null };
