import { postgresFromBinaries } from './postgres-from-binaries.js';
import { postgresFromDocker } from './postgres-from-docker.js';
import { postgresFromNpm } from './postgres-from-npm.js';
import { postgresFromPackages } from './postgres-from-packages.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';

/**
 * A server for one test that stops, kills and starts it. Never the one of TEST_DATABASE_URL.
 * The caller removes it; what is forgotten goes with the process.
 */
export async function startPrivatePostgres(options: PostgresOptions = {}): Promise<PostgresServer> {
  const reasons: string[] = [];
  for (const way of [postgresFromBinaries, postgresFromNpm, postgresFromDocker, postgresFromPackages]) {
    const server = await way(options);
    if ('url' in server) return server;
    reasons.push(server.because);
  }
  throw new Error(`no PostgreSQL for a server of this test's own: ${reasons.join('; ')}`);
}
