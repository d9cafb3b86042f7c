import { type Lifecycle, PostriderError } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { BROADCAST_SCHEDULE } from './broadcasts/broadcast.js';
import { EVERY_ZONE } from './define-schedule.js';
import { openRun, zonesOfPeople } from './fire-slots.js';
import { registerMissing } from './register-schedules.js';
import { listRuns, readSchedules, type ScheduleRow, setPaused } from './runs/list-runs.js';
import { RUN_PAGE_FIELDS, type RunState, type ScheduleRun } from './runs/run-record.js';
import { createScheduler, type SchedulerOptions } from './scheduler.js';
import { cronSlots } from './slots/cron-slots.js';

/** Schedules as people handle them: look, pause, resume, run now; and `start` to fire and carry them out here. */
export interface Schedules extends Lifecycle {
  /** Without the one that carries out broadcasts, which are listed by themselves. */
  list(): Promise<ScheduleSeen[]>;
  /** This process has written something to carry out. */
  ring(): void;
  /** Nothing fires, and a run that is going on stands still. */
  pause(name: string): Promise<void>;
  /** Goes on from here: what was due during the pause stays out. */
  resume(name: string): Promise<void>;
  /** One run, or one per time zone people live in; carried out by whichever process runs schedules. */
  runNow(name: string): Promise<ScheduleRun[]>;
  /** Newest first; 20 unless said. */
  runs(name: string, options?: { limit?: number; state?: RunState }): Promise<ScheduleRun[]>;
}

export interface ScheduleSeen {
  name: string;
  cron: string | null;
  timeZone: string;
  catchUp: string;
  paused: boolean;
  /** When it will fire; the earliest of its zones. Null while paused, and for what fires only when told to. */
  next: Date | null;
  last: ScheduleRun | null;
}

export function createSchedules(options: SchedulerOptions): Schedules {
  const scheduler = createScheduler(options);
  const { defaultZone } = options;

  /** What this process has is known to everyone before it is handled. */
  async function opened(): Promise<Database> {
    const database = await options.database();
    await registerMissing(database, options);
    return database;
  }

  async function known(database: Database, name: string): Promise<ScheduleRow> {
    const [row] = await readSchedules(database, name);
    if (row) return row;
    throw new PostriderError('SCHEDULE_NOT_FOUND', `There is no schedule ${name}.`, { field: 'name' });
  }

  const zonesOf = async (database: Database, row: ScheduleRow): Promise<string[]> =>
    row.timeZone === EVERY_ZONE ? zonesOfPeople(database, defaultZone) : [row.timeZone];

  async function nextOf(database: Database, row: ScheduleRow, now: number): Promise<Date | null> {
    if (row.cron === null || row.paused) return null;
    const ahead = (await zonesOf(database, row)).flatMap(
      (zone) => cronSlots(row.cron!, zone).next(now) ?? [],
    );
    return ahead.length > 0 ? new Date(Math.min(...ahead)) : null;
  }

  return {
    async list() {
      const database = await opened();
      const now = await options.now(database);
      const rows = (await readSchedules(database)).filter(({ name }) => name !== BROADCAST_SCHEDULE);
      return Promise.all(
        rows.map(async (row) => ({
          ...row,
          next: await nextOf(database, row, now),
          last: (await listRuns(database, row.name, { limit: 1 }))[0] ?? null,
        })),
      );
    },
    async pause(name) {
      const database = await opened();
      await known(database, name);
      await setPaused(database, name, true, await options.now(database));
    },
    async resume(name) {
      const database = await opened();
      await known(database, name);
      await setPaused(database, name, false, await options.now(database));
      scheduler.ring();
    },
    async runNow(name) {
      const database = await opened();
      const row = await known(database, name);
      if (row.paused)
        throw new PostriderError('SCHEDULE_PAUSED', `The schedule ${name} is paused.`, { field: 'name' });
      const slot = await options.now(database);
      const ids = new Set<string>();
      for (const zone of await zonesOf(database, row)) {
        const id = await openRun(database, { schedule: name, zone, slot, manual: true });
        if (id !== null) ids.add(id);
      }
      scheduler.ring();
      return (await listRuns(database, name, { limit: Math.max(1, ids.size) })).filter((run) =>
        ids.has(run.runId),
      );
    },
    async runs(name, { limit = 20, state } = {}) {
      RUN_PAGE_FIELDS.limit.read(limit, 'limit');
      RUN_PAGE_FIELDS.state.read(state, 'state');
      const database = await opened();
      await known(database, name);
      return listRuns(database, name, { limit, ...(state && { state }) });
    },
    ring: () => scheduler.ring(),
    start: () => scheduler.start(),
    stop: (stop) => scheduler.stop(stop),
  };
}
