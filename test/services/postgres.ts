import { postgresFromBinaries } from './postgres-from-binaries.js';
import { postgresFromDocker } from './postgres-from-docker.js';
import { postgresFromNpm } from './postgres-from-npm.js';
import { postgresFromPackages } from './postgres-from-packages.js';
import { type PostgresOptions, type PostgresServer, queryOnce } from './postgres-server.js';
import { type Attempt, type Service, type Unavailable, unavailable } from './service.js';

/**
 * PostgreSQL for the tests: one server, a database per test file.
 * A server named by TEST_DATABASE_URL must let us create databases; one that does not is an error, because
 * going on silently with another server would hide what the person asked for.
 */
export const postgres: Service = {
  name: 'postgres',
  ways: [
    fromEnvironment,
    async () => attempt(await postgresFromBinaries(SHARED)),
    async () => attempt(await postgresFromNpm(SHARED)),
    async () => attempt(await postgresFromDocker(SHARED)),
    async () => attempt(await postgresFromPackages(SHARED)),
  ],
};

/**
 * Its data need not outlive the machine, and no test kills it: it does not wait for the disk. A server that a test
 * kills, or a bench measures, does.
 */
const SHARED: PostgresOptions = { settings: { fsync: 'off', full_page_writes: 'off' } };

async function fromEnvironment(): Promise<Attempt> {
  const url = process.env.TEST_DATABASE_URL;
  if (!url) return unavailable('TEST_DATABASE_URL is not set');
  const where = URL.canParse(url) ? new URL(url).host : 'an unreadable URL';
  const rights = await queryOnce<{ allowed: boolean }>(
    url,
    'select rolsuper or rolcreatedb as allowed from pg_roles where rolname = current_user',
  ).catch((error: Error) => {
    throw new Error(`TEST_DATABASE_URL names ${where}, which does not answer: ${error.message}`, {
      cause: error,
    });
  });
  if (!rights[0]?.allowed) {
    throw new Error(`TEST_DATABASE_URL names ${where}, where we may not create databases`);
  }
  return { running: true, url, origin: `TEST_DATABASE_URL, ${where}` };
}

function attempt(server: PostgresServer | Unavailable): Attempt {
  return 'url' in server ? { running: true, url: server.url, origin: server.origin } : server;
}
