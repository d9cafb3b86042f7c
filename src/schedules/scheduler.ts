import { delay, killPoint, type Lifecycle, messageOf, type Randomness } from '../kernel/index.js';
import { type Database, isStoreAway, type Queryable } from '../store/index.js';
import { BROADCAST_SCHEDULE } from './broadcasts/broadcast.js';
import { openDueBroadcasts } from './broadcasts/create-broadcasts.js';
import type { Schedule } from './define-schedule.js';
import { fireSlots } from './fire-slots.js';
import { registerSchedules } from './register-schedules.js';
import { PageOvertaken, type RunCampaignOptions, runCampaign } from './run-campaign.js';
import { leaveRun, recordFailure, type TakenRun, takeRun } from './runs/take-run.js';

/**
 * Fires what is due and carries out what has fired. Any number of processes may run one; which of them does what is
 * decided in the database. While the database is away it asks about once a second. Stops after the page at hand.
 */
export interface SchedulerOptions
  extends Pick<RunCampaignOptions, 'acceptEach' | 'rendered' | 'defaultZone' | 'logger' | 'now'> {
  database(): Promise<Database>;
  /** While true, no schedule fires and no campaign goes on. */
  isHeld(): Promise<boolean>;
  schedules: readonly Schedule[];
  random: Randomness;
}

export interface Scheduler extends Lifecycle {
  /** Something to do was written by this process. */
  ring(): void;
}

/** A clock that is set, a zone that is new, a schedule that was resumed are noticed within this. */
const LOOK_MS = 15_000;
const NOTHING_DUE = { fired: 0, nextInMs: null };
const POLL_MS = 1000;
const AWAY_MS = 1000;
/** Runs carried out at once by one process; PGlite has one connection. */
const LANES = 2;

export function createScheduler(options: SchedulerOptions): Scheduler {
  const { logger, schedules } = options;
  const names = schedules.map((schedule) => schedule.name);
  let stopping: AbortController | null = null;
  let running: Promise<unknown> = Promise.resolve();
  let bell = new AbortController();

  const ring = () => {
    bell.abort();
    bell = new AbortController();
  };

  async function repeat(signal: AbortSignal, what: string, round: () => Promise<number>): Promise<void> {
    while (!signal.aborted) {
      let waitMs: number;
      try {
        waitMs = await round();
      } catch (error) {
        if (signal.aborted) return;
        logger[isStoreAway(error) ? 'debug' : 'error']({ err: messageOf(error) }, `${what} failed`);
        waitMs = AWAY_MS * (1 + options.random() * 0.5);
      }
      if (waitMs > 0) await delay(waitMs, AbortSignal.any([signal, bell.signal]));
    }
  }

  let registered = false;
  async function fire(): Promise<number> {
    const database = await options.database();
    if (!registered) {
      await registerSchedules(database, options);
      registered = true;
    }
    if (await options.isHeld()) return POLL_MS;
    const look = await fireSlots(database, options);
    const broadcasts = names.includes(BROADCAST_SCHEDULE) ? await openDueBroadcasts(database) : NOTHING_DUE;
    const fired = look.fired + broadcasts.fired;
    if (fired > 0) {
      logger.info({ fired }, 'schedules fired');
      ring();
    }
    return Math.max(1, Math.min(LOOK_MS, look.nextInMs ?? LOOK_MS, broadcasts.nextInMs ?? LOOK_MS));
  }

  async function carryOut(signal: AbortSignal): Promise<number> {
    const database = await options.database();
    if (await options.isHeld()) return POLL_MS;
    const run = registered ? await takeRun(database, names) : null;
    if (run === null) return POLL_MS;
    killPoint('schedules:taken');
    await carryOn(database, run, signal);
    return 0;
  }

  async function carryOn(database: Database, run: TakenRun, signal: AbortSignal): Promise<void> {
    const schedule = schedules.find(({ name }) => name === run.schedule)!;
    const about = { schedule: run.schedule, zone: run.zone, slot: run.slot.toISOString(), runId: run.runId };
    try {
      const end = await runCampaign(schedule, run, { ...options, database, stopping: () => signal.aborted });
      if (end === 'stopped') await leaveRun(database, run.runId);
      else if (end !== 'lost') logger.info({ ...about, end }, 'campaign ended');
    } catch (error) {
      if (isStoreAway(error)) throw error;
      if (error instanceof PageOvertaken) return leaveRun(database, run.runId);
      const { failed } = await recordFailure(database, run.runId, messageOf(error));
      logger[failed ? 'error' : 'warn']({ ...about, err: messageOf(error) }, 'campaign held up');
    }
  }

  return {
    async start() {
      if (stopping || schedules.length === 0) return;
      stopping = new AbortController();
      const { signal } = stopping;
      const lanes = Array.from({ length: LANES }, () => repeat(signal, 'campaign', () => carryOut(signal)));
      running = Promise.all([repeat(signal, 'schedules', fire), ...lanes]);
    },
    async stop() {
      stopping?.abort();
      await running;
      stopping = null;
    },
    ring,
  };
}

/** The clock everything is due by. */
export async function databaseNow(database: Queryable): Promise<number> {
  const { rows } = await database.query<{ now: number }>({
    name: 'schedules_now',
    text: 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now',
  });
  return Math.floor(rows[0]!.now);
}
