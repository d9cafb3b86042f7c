import type { Database } from '../store/index.js';
import type { Alert } from './alert.js';
import type { AlertSettings } from './create-alerts.js';
import { type Channel, type EpisodeTiming, endUnseen, noteSeen, type Turned } from './episodes.js';
import { seenIn } from './seen-in.js';

/**
 * Looks once at everything the store shows, in one transaction, unless another process does so now or did within the
 * interval. It also decides whether the heartbeat address is called: once per its interval for all processes together,
 * and not while an alert of severity `page` is open.
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
}

export function evaluateStore(database: Database, evaluation: Evaluation): Promise<Evaluated> {
  const { watched, settings, timing, channels, keepDays } = evaluation;
  return database.transaction(async (tx) => {
    const turn = await tx.query(TAKE_TURN, [settings.intervalMs * ALMOST]);
    if (turn.rowCount === 0) return { turned: [], heartbeat: false };
    const found = new Map<string, unknown[]>();
    for (const alert of watched)
      if (alert.reads === 'database')
        found.set(alert.id, (await tx.query(alert.sql, alert.parameters(settings))).rows);
    const seen = seenIn(
      watched,
      (alert) => (alert.reads === 'database' ? alert.findings(found.get(alert.id) ?? [], settings) : []),
      settings,
    );
    const opened = await noteSeen(tx, seen, timing, channels);
    const ended = await endUnseen(tx, timing, keepDays);
    const heartbeat =
      settings.heartbeatUrl !== null &&
      (await tx.query(TAKE_HEARTBEAT, [settings.heartbeatMs - settings.intervalMs / 2])).rowCount > 0;
    return { turned: [...opened, ...ended], heartbeat };
  });
}

/** A round that comes a little early still counts. */
const ALMOST = 0.9;

// A time ahead of now is from before the database's clock was set back.
const TAKE_TURN = `
  update postrider.alert_rounds set evaluated_at = clock_timestamp()
  where (evaluated_at <= clock_timestamp() - $1::float8 * interval '1 millisecond' or evaluated_at > clock_timestamp())
    and pg_try_advisory_xact_lock(7707, 19)`;

const TAKE_HEARTBEAT = `
  update postrider.alert_rounds set heartbeat_at = clock_timestamp()
  where (heartbeat_at <= clock_timestamp() - $1::float8 * interval '1 millisecond' or heartbeat_at > clock_timestamp())
    and not exists (select from postrider.alert_episodes
      where ended_at is null and opened_at is not null and severity = 'page')`;
