import { killPoint } from '../kernel/index.js';
import { type Database, isStoreAway, type Queryable } from '../store/index.js';
import type { Alert, DatabaseAlert } from './alert.js';
import type { AlertSettings } from './create-alerts.js';
import { type Channel, type EpisodeTiming, endUnseen, goOn, noteSeen, type Turned } from './episodes.js';
import { type Looked, note, noteUnseen } from './look-at-alerts.js';

/**
 * Looks once at everything the store shows, in one transaction, unless another process does so now or did within the
 * interval. Each alert is looked at by itself: a statement that fails, or takes longer than LOOK_MS, hides no other. It
 * also decides whether the heartbeat address is called: once per its interval for all processes together, and not while
 * an alert of severity `page` is open.
 */
export interface Evaluation {
  watched: readonly Alert[];
  settings: AlertSettings;
  timing: EpisodeTiming;
  channels: readonly Channel[];
  keepDays: number;
}

export interface Evaluated {
  turned: Turned[];
  heartbeat: boolean;
  /** Alerts that could not be looked at. */
  unseen: string[];
  /** The database's time, for every process. */
  now: Date;
}

/** Below the limit of a call, after which the store counts as away. */
export const LOOK_MS = 3000;

export function evaluateStore(database: Database, evaluation: Evaluation): Promise<Evaluated> {
  const { watched, settings, timing, channels, keepDays } = evaluation;
  return database.transaction(async (tx) => {
    const { rows } = await tx.query<{ taken: boolean; now: number }>(TAKE_TURN, [
      settings.intervalMs * ALMOST,
    ]);
    const now = new Date(rows[0]!.now);
    if (!rows[0]!.taken) return { turned: [], heartbeat: false, unseen: [], now };
    await tx.query(`set local statement_timeout = ${LOOK_MS}`);
    await tx.query('set local jit = off');
    const looked: Looked = { seen: [], unseen: [] };
    for (const alert of watched) if (alert.reads === 'database') await look(tx, alert, evaluation, looked);
    const opened = await noteSeen(tx, looked.seen, timing, channels);
    if (looked.unseen.length > 0) await goOn(tx, looked.unseen);
    const ended = await endUnseen(tx, timing, keepDays);
    if (opened.length + ended.length > 0) killPoint('alert:turning');
    const heartbeat =
      settings.heartbeatUrl !== null &&
      (await tx.query(TAKE_HEARTBEAT, [settings.heartbeatMs - settings.intervalMs / 2])).rowCount > 0;
    return { turned: [...opened, ...ended], heartbeat, unseen: looked.unseen, now };
  });
}

async function look(
  tx: Queryable,
  alert: DatabaseAlert,
  { watched, settings }: Evaluation,
  looked: Looked,
): Promise<void> {
  // It is not released: one more statement each, and there are some twenty.
  await tx.query('savepoint look');
  try {
    const { rows } = await tx.query(alert.sql, alert.parameters(settings));
    note(looked, alert, alert.findings(rows, settings), settings);
  } catch (error) {
    if (isStoreAway(error)) throw error;
    await tx.query('rollback to savepoint look');
    noteUnseen(looked, watched, alert, error, settings);
  }
}

/** A round that comes a little early still counts. */
const ALMOST = 0.9;

// A time ahead of now is from before the database's clock was set back.
const TAKE_TURN = `
  with turn as (
    update postrider.alert_rounds set evaluated_at = clock_timestamp()
    where (evaluated_at <= clock_timestamp() - $1::float8 * interval '1 millisecond'
        or evaluated_at > clock_timestamp())
      and pg_try_advisory_xact_lock(7707, 19)
    returning 1
  )
  select exists (select from turn) as taken, extract(epoch from clock_timestamp())::float8 * 1000 as now`;

const TAKE_HEARTBEAT = `
  update postrider.alert_rounds set heartbeat_at = clock_timestamp()
  where (heartbeat_at <= clock_timestamp() - $1::float8 * interval '1 millisecond' or heartbeat_at > clock_timestamp())
    and not exists (select from postrider.alert_episodes
      where ended_at is null and opened_at is not null and severity = 'page')`;
