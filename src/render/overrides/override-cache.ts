import { type Clock, delay, type Logger, messageOf, PostriderError } from '../../kernel/index.js';
import type { Database, Queryable } from '../../store/index.js';
import type { Override } from '../create-renderer.js';
import { listPublished, readContents, readRevision } from './template-versions.js';

/**
 * Every published override, held in memory and as old as 800 ms at most: one small row says whether anything was
 * published since. It reads over a connection of its own, never over the caller's transaction, where an error would
 * end it; only the embedded store, which has no second connection, is read over the transaction at hand.
 */
export interface OverrideCache {
  current(tx?: Queryable): Promise<Overrides>;
}

/** What holds at one moment. */
export interface Overrides {
  find(companyId: string, type: string, lang: string): Override | undefined;
}

export interface OverrideCacheOptions {
  database: Database;
  clock: Clock;
  logger: Logger;
}

export function createOverrideCache({ database, clock, logger }: OverrideCacheOptions): OverrideCache {
  let known: Snapshot | null = null;
  let checkedAt = Number.NEGATIVE_INFINITY;
  let refreshing: Promise<Snapshot> | null = null;

  function refresh(from: Queryable): Promise<Snapshot> {
    refreshing ??= read(from, known)
      .then(({ snapshot, at }) => {
        known = snapshot;
        checkedAt = at;
        return snapshot;
      })
      .finally(() => {
        refreshing = null;
      });
    return refreshing;
  }

  async function read(from: Queryable, before: Snapshot | null) {
    // What is published after this moment may be missed, so this is how old the answer counts.
    const at = clock.monotonic();
    const revision = await readRevision(from);
    if (before?.revision === revision) return { snapshot: before, at };
    return { snapshot: await readSnapshot(from, revision, before), at };
  }

  async function refreshInTransaction(tx: Queryable): Promise<Snapshot> {
    if (database.kind === 'pglite') {
      // Not together with another reader, who may be waiting for this very transaction to end.
      const { snapshot, at } = await read(tx, known);
      known = snapshot;
      checkedAt = at;
      return snapshot;
    }
    const stop = new AbortController();
    // The caller's pool may have no second connection to give while this transaction is open.
    const late = delay(PATIENCE_MS, stop.signal).then(() => null);
    try {
      const fresh = await Promise.race([refresh(database), late]);
      if (fresh) return fresh;
    } finally {
      stop.abort();
    }
    if (!known) throw new PostriderError('STORE_UNAVAILABLE', 'The templates could not be read in time.');
    logger.warn({ patienceMs: PATIENCE_MS }, 'templates could not be read in time; using those read before');
    return known;
  }

  return {
    async current(tx) {
      const age = clock.monotonic() - checkedAt;
      if (known && age < FRESH_MS) {
        // Ahead of need, so that a busy process never waits; the next call that must wait reports a failure.
        if (age > AHEAD_MS && !tx && !refreshing)
          refresh(database).catch((error: unknown) => {
            logger.debug({ err: messageOf(error) }, 'templates could not be read ahead');
          });
        return known;
      }
      return tx ? refreshInTransaction(tx) : refresh(database);
    },
  };
}

const FRESH_MS = 800;
const AHEAD_MS = 400;
const PATIENCE_MS = 2000;

class Snapshot implements Overrides {
  constructor(
    readonly revision: number,
    readonly byId: ReadonlyMap<string, Override>,
    private readonly byKey: ReadonlyMap<string, Override>,
  ) {}

  find(companyId: string, type: string, lang: string): Override | undefined {
    return this.byKey.size === 0 ? undefined : this.byKey.get(keyOf(companyId, type, lang));
  }
}

async function readSnapshot(from: Queryable, revision: number, before: Snapshot | null): Promise<Snapshot> {
  const published = await listPublished(from);
  const missing = published.filter(({ id }) => !before?.byId.has(id)).map(({ id }) => id);
  const read = missing.length > 0 ? await readContents(from, missing) : [];
  const fresh = new Map(
    read.map((row) => [
      row.id,
      { id: row.id, subject: row.subject, html: row.htmlContent, text: row.textContent } satisfies Override,
    ]),
  );
  const byId = new Map<string, Override>();
  const byKey = new Map<string, Override>();
  for (const { id, companyId, type, lang } of published) {
    const override = before?.byId.get(id) ?? fresh.get(id);
    if (!override) continue;
    byId.set(id, override);
    byKey.set(keyOf(companyId, type, lang), override);
  }
  return new Snapshot(revision, byId, byKey);
}

function keyOf(companyId: string, type: string, lang: string): string {
  return `${companyId}\u0000${type}\u0000${lang.toLowerCase()}`;
}
