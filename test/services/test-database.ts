import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { queryOnce } from './postgres-server.js';

/**
 * A fresh database with Postrider's schema on the shared server, one per test file. It is copied from a migrated
 * template: running every migration takes ten times as long. Dropping it ends its sessions.
 * Fails with the reason when there is no server; files that can do without are wrapped in describeWith.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const template = inject('postgresTemplate');
  if (!template) return createEmptyDatabase();
  const database = await createDatabase(` template ${template}`);
  // A copy of a store is the same store to a broker; this is another one.
  await queryOnce(database.url, 'update postrider.store_identity set id = default');
  return database;
}

/** A fresh database without a schema, for tests of migrations and of what is missing before them. */
export function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('');
}

async function createDatabase(options: string): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  if (!adminUrl) throw new Error('no PostgreSQL for the tests: see the line about postgres at the start');
  const name = `postrider_test_${randomBytes(6).toString('hex')}`;
  await queryOnce(adminUrl, `create database ${name}${options}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    async drop() {
      await queryOnce(adminUrl, awaitSessions(name));
      await queryOnce(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

/** A connection that is being closed would take its end for an error of the server: those get 0.3 s. */
const awaitSessions = (name: string) => `
  do $$ begin
    for n in 1..15 loop
      perform pg_stat_clear_snapshot();
      exit when not exists (
        select from pg_stat_activity where datname = '${name}' and backend_type = 'client backend');
      perform pg_sleep(0.02);
    end loop;
  end $$`;

export interface TestDatabase {
  url: string;
  name: string;
  drop(): Promise<void>;
}
