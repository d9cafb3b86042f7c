import { WEBHOOK_CHANNEL } from '../events/index.js';
import {
  type Clock,
  killPoint,
  type Logger,
  messageOf,
  PostriderError,
  type Randomness,
} from '../kernel/index.js';
import type { Database, Session } from '../store/index.js';
import { logEpoch, recognizeEpoch } from './server-epoch.js';
import { sharesSessions } from './shares-sessions.js';
import { takeBackCrashes } from './take-over.js';
import { SESSION_LOCK_CLASS } from './watch-workers.js';

/**
 * A worker's right to deliver. One session holds an advisory lock and listens; a beat every 500 ms
 * renews the lease. `mayDeliver` is true only while the last acknowledged beat was *sent* less than
 * a second ago, by the larger of monotonic and wall time, so a frozen or cut-off process sends nothing.
 */
export interface WorkerLease {
  readonly worker: number;
  readonly embedded: boolean;
  mayDeliver(): boolean;
  /** Whether no other process may have taken over since the last acknowledged beat. */
  held(): boolean;
  /** Gives the lease up in order; rows must have been given back before. */
  end(): Promise<void>;
}

export interface LeaseOptions {
  database: Database;
  instance: string;
  host: string;
  pid: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  /** Something was committed. */
  onBell: () => void;
  /** Something was committed, and another worker was woken for it. */
  onBellForAnother: () => void;
  /** Whether other workers should be woken first. */
  isBusy: () => boolean;
  /** A webhook is owed. */
  onOwed: () => void;
  /** A webhook is due, and another worker was woken for it. */
  onOwedForAnother: () => void;
  /** Another process has taken over: everything held is lost. */
  onLost: () => void;
}

const BEAT_MS = 500;
const DELIVER_WITHIN_MS = 1000;
/** As in watch-workers: after this long without a beat every worker counts as dead. */
const HELD_WITHIN_MS = 10_000;
const RECONNECT_MS = 1000;

/** Wakes every worker. */
export const BELL_CHANNEL = 'postrider_bell';
/** Wakes one, which claims at once; the second waits a few milliseconds. */
const OWN_CHANNELS = { first: 'postrider_bell_', second: 'postrider_later_' };
const OWN_WEBHOOK_CHANNELS = { first: 'postrider_webhooks_', second: 'postrider_webhooks_later_' };

export async function takeLease(options: LeaseOptions): Promise<WorkerLease> {
  const { database, clock, logger } = options;
  const first = await database.openSession();
  const { id: worker, lease } = await register(first, options).catch((error) => closeAndThrow(first, error));
  let session: Session | null = null;
  const { embedded } = first;
  killPoint('lease:registered');

  let beat = { wall: 0, monotonic: 0 };
  let ended = false;
  let lost = false;
  let timer: NodeJS.Timeout | undefined;

  const adopt = async (fresh: Session): Promise<void> => {
    fresh.onLost((error) => {
      if (session === fresh) session = null;
      if (!ended) logger.warn({ worker, err: messageOf(error) }, 'database session lost');
    });
    const epoch = await recognizeEpoch(fresh, database.kind);
    logEpoch(epoch, logger);
    if (embedded || !(await isShared(fresh, epoch.id))) {
      await fresh.listen(BELL_CHANNEL, options.onBell);
      await fresh.listen(OWN_CHANNELS.first + worker, options.onBell);
      await fresh.listen(OWN_CHANNELS.second + worker, options.onBellForAnother);
      await fresh.listen(WEBHOOK_CHANNEL, options.onOwed);
      await fresh.listen(OWN_WEBHOOK_CHANNELS.first + worker, options.onOwed);
      await fresh.listen(OWN_WEBHOOK_CHANNELS.second + worker, options.onOwedForAnother);
      await fresh.query(MARK_LISTENING, [worker, lease]);
    }
    session = fresh;
  };

  /**
   * Until a session is known to be ours alone the row says that it is shared, and the beat alone tells who is alive:
   * finding out may take longer than a missing lock would leave us.
   */
  const isShared = async (fresh: Session, epoch: string): Promise<boolean> => {
    await fresh.query(MARK_SHARED, [worker, lease, true, epoch]);
    const shared = (await database.pooling())?.shared || (await sharesSessions(fresh, worker, database));
    // On a shared connection the lock would outlive us and stand in our own way.
    if (shared) return true;
    await fresh.query('select pg_advisory_lock($1::int, $2::int)', [SESSION_LOCK_CLASS, worker]);
    await fresh.query(MARK_SHARED, [worker, lease, false, epoch]);
    return false;
  };

  const sendBeat = async (): Promise<void> => {
    const sent = { wall: clock.now(), monotonic: clock.monotonic() };
    if (!session) {
      const fresh = await database.openSession();
      await adopt(fresh).catch((error) => closeAndThrow(fresh, error));
      // Ended while it was being opened: nobody else would close it.
      if (ended) return fresh.close();
      options.onBell();
      options.onOwed();
    }
    const answer = await session!.query(BEAT, [worker, lease, options.isBusy()]);
    if (answer.rows.length > 0) {
      beat = sent;
      return;
    }
    if (ended || lost) return;
    await takeBackCrashes(session!, worker);
    lost = true;
    logger.warn({ worker }, 'lease lost: another process has taken over');
    options.onLost();
  };

  const schedule = (ms: number): void => {
    if (ended || lost) return;
    timer = setTimeout(() => {
      sendBeat().then(
        () => schedule(BEAT_MS),
        (error: unknown) => {
          const broken = session;
          session = null;
          broken
            ?.close()
            .catch((failure: unknown) => logger.debug({ err: messageOf(failure) }, 'session close failed'));
          if (!ended) logger.warn({ worker, err: messageOf(error) }, 'beat failed');
          schedule(RECONNECT_MS * (1 + options.random() * 0.5));
        },
      );
    }, ms);
  };

  await adopt(first)
    .then(sendBeat)
    .catch((error) => closeAndThrow(first, error));
  schedule(BEAT_MS);

  return {
    worker,
    embedded,
    mayDeliver() {
      if (ended || lost) return false;
      if (embedded) return true;
      const age = Math.max(clock.monotonic() - beat.monotonic, clock.now() - beat.wall);
      return age >= 0 && age < DELIVER_WITHIN_MS;
    },
    held() {
      if (ended || lost) return false;
      return embedded || clock.monotonic() - beat.monotonic < HELD_WITHIN_MS;
    },
    async end() {
      if (ended) return;
      ended = true;
      clearTimeout(timer);
      if (!lost && session) {
        await session.query(
          'update postrider.workers set ended_at = clock_timestamp(), lease = lease + 1 where id = $1 and lease = $2',
          [worker, lease],
        );
      }
      await session?.close();
    },
  };
}

async function register(session: Session, options: LeaseOptions): Promise<{ id: number; lease: number }> {
  const { rows } = await session.query<{ id: number; lease: number }>(
    `insert into postrider.workers (instance, host, pid, shared_session) values ($1, $2, $3, $4)
     returning id, lease`,
    [options.instance, options.host, options.pid, !session.embedded],
  );
  if (!rows[0]) throw new PostriderError('INTERNAL', 'The worker could not be registered.');
  return rows[0];
}

/** A session that could not be used is not left open: a worker that keeps trying would collect them. */
async function closeAndThrow(session: Session, error: unknown): Promise<never> {
  await session.close();
  throw error;
}

const BEAT = {
  name: 'outbox_beat',
  text: `update postrider.workers set busy = $3, beat_at = clock_timestamp()
         where id = $1 and lease = $2 and ended_at is null returning id`,
};

const MARK_LISTENING = `update postrider.workers set own_channels = true where id = $1 and lease = $2`;

// Older code beside us judges by the start of the server.
const MARK_SHARED = `
  update postrider.workers
  set shared_session = $3, server_started_at = pg_postmaster_start_time(), epoch = $4, beat_at = clock_timestamp()
  where id = $1 and lease = $2`;
