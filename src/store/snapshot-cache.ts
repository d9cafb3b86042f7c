import { type Clock, delay, type Logger, messageOf, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from './database.js';

/**
 * Small tables that every acceptance looks at, held in memory and as old as 800 ms at most. It reads over a connection
 * of its own, never over the caller's transaction, where an error would end it; only the embedded store, which has no
 * second connection, is read over the transaction at hand.
 */
export interface SnapshotCache<Snapshot> {
  current(tx?: Queryable): Promise<Snapshot>;
  /** This process has changed something: the next call reads again. */
  forget(): void;
}

export interface SnapshotCacheOptions<Snapshot> {
  database: Database;
  clock: Clock;
  logger: Logger;
  /** What is held, in the plural. */
  what: string;
  /** Gives back `before` where nothing has changed. */
  read(from: Queryable, before: Snapshot | null): Promise<Snapshot>;
}

export function createSnapshotCache<Snapshot>(
  options: SnapshotCacheOptions<Snapshot>,
): SnapshotCache<Snapshot> {
  const { database, clock, logger, what } = options;
  let known: Snapshot | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<Snapshot> | null = null;
  let changes = 0;

  async function read(from: Queryable): Promise<Snapshot> {
    // What is changed after this moment may be missed, so this is how old the answer counts.
    const at = clock.monotonic();
    const seen = changes;
    known = await options.read(from, known);
    checkedAt = seen === changes ? at : Number.NEGATIVE_INFINITY;
    return known;
  }

  function refresh(from: Queryable): Promise<Snapshot> {
    refreshing ??= read(from).finally(() => {
      refreshing = null;
    });
    return refreshing;
  }

  async function refreshInTransaction(tx: Queryable): Promise<Snapshot> {
    // Not together with another reader, who may be waiting for this very transaction to end.
    if (database.kind === 'pglite') return read(tx);
    const stop = new AbortController();
    // The caller's pool may have no second connection to give while this transaction is open.
    const late = delay(PATIENCE_MS, stop.signal).then(() => null);
    try {
      const fresh = await Promise.race([refresh(database), late]);
      if (fresh) return fresh;
    } finally {
      stop.abort();
    }
    if (!known) throw new PostriderError('STORE_UNAVAILABLE', `The ${what} could not be read in time.`);
    logger.warn({ patienceMs: PATIENCE_MS }, `${what} could not be read in time; using those read before`);
    return known;
  }

  return {
    async current(tx) {
      const age = clock.monotonic() - checkedAt;
      if (known && age < FRESH_MS) {
        // Ahead of need, so that a busy process never waits; the next call that must wait reports a failure.
        if (age > AHEAD_MS && !tx && !refreshing)
          refresh(database).catch((error: unknown) => {
            logger.debug({ err: messageOf(error) }, `${what} could not be read ahead`);
          });
        return known;
      }
      return tx ? refreshInTransaction(tx) : refresh(database);
    },
    forget() {
      changes += 1;
      checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}

const FRESH_MS = 800;
const AHEAD_MS = 400;
const PATIENCE_MS = 2000;
