import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type pg from 'pg';
import { type Logger, messageOf, PostriderError } from '../kernel/index.js';
import type { Database } from './database.js';
import { lockFolder } from './pglite/folder-lock.js';
import type { PgliteConnection } from './pglite/pglite-connection.js';
import { pgliteDatabase } from './pglite/pglite-database.js';
import { openThreadedPglite } from './pglite/threaded-pglite.js';
import { fromPgPool, openPostgres } from './postgres-database.js';

/**
 * Opens the store an application names: a PostgreSQL URL, its own pg pool or PGlite instance, or
 * the embedded store in a folder.
 */
export async function openDatabase(source: DatabaseSource, options: OpenOptions = {}): Promise<Database> {
  if (typeof source === 'string' && POSTGRES_URL.test(source))
    return openPostgres({ url: source, ...options });
  if (typeof source === 'string')
    throw unknownSource('is a text that is no PostgreSQL URL; a folder is { folder }');
  if ('folder' in source) return openEmbedded(source.folder);
  if (isPglite(source)) {
    return pgliteDatabase(source, { onClose: async () => {}, patienceMs: OWN_PGLITE_PATIENCE_MS });
  }
  if (isPool(source)) return fromPgPool(source, options);
  throw unknownSource('must be a PostgreSQL URL, a pg Pool, a PGlite instance or { folder }');
}

/** As pg reads them; `socket:`, or a path and a name, stand for a Unix socket. It would take any text for one. */
const POSTGRES_URL = /^(?:postgres(?:ql)?:\/\/|socket:|\/\S+ \S)/i;

// Without the text: it may hold a password.
function unknownSource(says: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `database ${says}.`, { field: 'database' });
}

export type DatabaseSource = string | { folder: string } | pg.Pool | PgliteConnection;

export interface OpenOptions {
  poolSize?: number;
  patienceMs?: number;
  prepare?: boolean;
  logger?: Logger;
}

const OWN_PGLITE_PATIENCE_MS = 5000;

async function openEmbedded(folder: string): Promise<Database> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const lock = await lockFolder(folder);
  try {
    const place = await dataFolder(folder);
    const connection = await openThreadedPglite(place).catch((error: unknown) => {
      throw unreadable(place, error);
    });
    lock.watch(join(place, 'PG_VERSION'));
    return pgliteDatabase(connection, {
      check: lock.check,
      async onClose() {
        await connection.close();
        await lock.release();
      },
    });
  } catch (error) {
    await lock.release();
    throw error;
  }
}

function unreadable(place: string, cause: unknown): PostriderError {
  const message = `The files of the embedded store in ${place} cannot be opened: ${messageOf(cause)}`;
  return new PostriderError('STORE_UNREADABLE', message, { cause });
}

/**
 * The cluster is made beside its place and moved there whole: a first start that is killed half-way
 * leaves nothing that a second would take for a database.
 */
async function dataFolder(folder: string): Promise<string> {
  const place = join(folder, 'pgdata');
  const draft = join(folder, 'pgdata.new');
  await rm(draft, { recursive: true, force: true });
  if (!existsSync(place)) {
    const fresh = await openThreadedPglite(draft);
    await fresh.close();
    await rename(draft, place);
  }
  return place;
}

function isPglite(source: object): source is PgliteConnection {
  return 'listen' in source && 'exec' in source && 'transaction' in source;
}

function isPool(source: object): source is pg.Pool {
  return 'connect' in source && 'query' in source && 'totalCount' in source;
}
