import { randomBytes } from 'node:crypto';
import { inject } from 'vitest';
import { queryOnce } from './postgres-server.js';

/**
 * A fresh, empty database on the shared server, one per test file. Dropping it ends its sessions.
 * Fails with the reason when there is no server; files that can do without are wrapped in describeWith.
 */
export async function createTestDatabase(): Promise<TestDatabase> {
  const adminUrl = inject('postgresUrl');
  if (!adminUrl) throw new Error('no PostgreSQL for the tests: see the line about postgres at the start');
  const name = `postrider_test_${randomBytes(6).toString('hex')}`;
  await queryOnce(adminUrl, `create database ${name}`);
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    name,
    async drop() {
      await queryOnce(adminUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

export interface TestDatabase {
  url: string;
  name: string;
  drop(): Promise<void>;
}
