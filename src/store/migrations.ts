import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PostriderError } from '../kernel/index.js';
import { applyWhenFree, type WaitOptions } from './apply-when-free.js';
import type { Database, Queryable } from './database.js';

/**
 * Numbered SQL files, one transaction each, safe to run by any number of processes at once.
 * Each file says the oldest code that still works on it (`-- oldest-code: N`), so that a running
 * process accepts a newer schema it understands and refuses one it does not.
 */
export interface Migration {
  number: number;
  name: string;
  oldestCode: number;
  sql: string;
}

export interface MigrationReport {
  applied: string[];
  current: number;
}

/**
 * Applies what is missing. A step that has to wait for another transaction's locks gives way after three seconds,
 * because every statement on the table waits behind it meanwhile, and tries again; after ten minutes it gives up.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrationReport> {
  const { onProgress = () => {}, migrations = await readMigrations() } = options;
  await applyWhenFree(database, 'bookkeeping', options, (tx) => database.script(BOOKKEEPING, tx));
  const applied: string[] = [];
  for (const migration of migrations) {
    const ran = await applyWhenFree(database, migration.name, options, async (tx) => {
      const done = await tx.query('select 1 from postrider.schema_migrations where number = $1', [
        migration.number,
      ]);
      if (done.rowCount > 0) return false;
      await database.script(migration.sql, tx);
      await tx.query(
        'insert into postrider.schema_migrations (number, name, oldest_code) values ($1, $2, $3)',
        [migration.number, migration.name, migration.oldestCode],
      );
      return true;
    });
    if (ran) {
      applied.push(migration.name);
      onProgress({ migration: migration.name, state: 'applied' });
    }
  }
  return { applied, current: await checkSchema(database) };
}

/** The schema's number; throws when it is missing, lacks a step this code knows, or is newer than it understands. */
export async function checkSchema(database: Queryable): Promise<number> {
  const known = (await readMigrations()).map(({ number }) => number);
  const newest = known.at(-1) ?? 0;
  const exists = await database.query<{ found: string | null; server: string; version: string }>(SERVER);
  const { server = '', version = '' } = exists.rows[0] ?? {};
  if (Number(server) < OLDEST_SERVER || !version.startsWith('PostgreSQL'))
    throw new PostriderError('STORE_UNSUITABLE', `The database is ${version.slice(0, 100)}.`);
  if (exists.rows[0]?.found == null)
    throw new PostriderError('STORE_NOT_MIGRATED', 'The database has no Postrider schema.');
  const { rows } = await database.query<{ number: number; needs: number }>(
    'select number, oldest_code as needs from postrider.schema_migrations order by number',
  );
  const done = new Set(rows.map(({ number }) => number));
  const missing = known.filter((number) => !done.has(number));
  if (missing.length > 0) {
    throw new PostriderError(
      'STORE_NOT_MIGRATED',
      `The schema lacks ${missing.length === 1 ? 'step' : 'steps'} ${missing.join(', ')} of ${newest}.`,
    );
  }
  const needs = Math.max(0, ...rows.filter(({ number }) => number > newest).map((row) => row.needs));
  if (needs > newest) {
    throw new PostriderError(
      'STORE_TOO_NEW',
      `The schema needs code of ${needs} or newer; this is ${newest}.`,
    );
  }
  return rows.at(-1)?.number ?? 0;
}

const OLDEST_SERVER = 140_000;
// Others speak its protocol, and some say a version of it.
const SERVER = `
  select to_regclass('postrider.schema_migrations')::text as found,
    current_setting('server_version_num') as server, version() as version`;

export interface MigrateOptions extends WaitOptions {
  /** For tests; those of the package unless given. */
  migrations?: Migration[];
}

export async function readMigrations(): Promise<Migration[]> {
  const folder = await migrationsFolder();
  const files = (await readdir(folder)).filter((name) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)).sort();
  return Promise.all(
    files.map(async (file) => {
      const sql = await readFile(join(folder, file), 'utf8');
      const oldest = /^-- oldest-code: (\d+)$/m.exec(sql);
      if (!oldest) throw new PostriderError('INTERNAL', `Migration ${file} does not say its oldest code.`);
      return {
        number: Number(file.slice(0, 4)),
        name: file.slice(0, -4),
        oldestCode: Number(oldest[1]),
        sql,
      };
    }),
  );
}

/** Beside the package's root, wherever the code was compiled to. */
async function migrationsFolder(): Promise<string> {
  for (const up of ['../../migrations/', '../../../migrations/']) {
    const folder = fileURLToPath(new URL(up, import.meta.url));
    const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    if (names.some((name) => name.startsWith('0001_'))) return folder;
  }
  throw new PostriderError('INTERNAL', 'The migrations folder is missing from the package.');
}

const BOOKKEEPING = `
  create schema if not exists postrider;
  create table if not exists postrider.schema_migrations (
    number integer primary key,
    name text not null,
    oldest_code integer not null,
    applied_at timestamptz not null default now()
  );
`;
