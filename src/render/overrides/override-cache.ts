import type { Clock, Logger } from '../../kernel/index.js';
import { createSnapshotCache, type Database, type Queryable } from '../../store/index.js';
import type { Override } from '../create-renderer.js';
import { listPublished, readContents, readRevision } from './template-versions.js';

/**
 * Every published override, held in memory for a moment: one small row says whether anything was published since.
 */
export interface OverrideCache {
  current(tx?: Queryable): Promise<Overrides>;
  /** This process has changed one: the next call reads again. */
  forget(): void;
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

export function createOverrideCache(options: OverrideCacheOptions): OverrideCache {
  return createSnapshotCache<Snapshot>({
    ...options,
    what: 'templates',
    async read(from, before) {
      const revision = await readRevision(from);
      return before?.revision === revision ? before : readSnapshot(from, revision, before);
    },
  });
}

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
