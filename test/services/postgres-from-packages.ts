import { installPackages } from './debian-packages.js';
import { postgresFromBinaries } from './postgres-from-binaries.js';
import type { PostgresOptions, PostgresServer } from './postgres-server.js';
import type { Unavailable } from './service.js';

/** Debian's own PostgreSQL, installed when we may, then run like any local one. */
export async function postgresFromPackages(
  options: PostgresOptions = {},
): Promise<PostgresServer | Unavailable> {
  return (await installPackages('postgresql')) ?? postgresFromBinaries(options);
}
