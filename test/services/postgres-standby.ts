import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { runPostgres } from './postgres-from-binaries.js';
import { type PostgresServer, queryOnce } from './postgres-server.js';
import { waitFor } from './wait-for.js';

/** A hot standby of a private server, made with pg_basebackup in a temporary folder and following it by streaming. */
export interface PostgresStandby extends PostgresServer {
  /** Makes it the primary; returns when it takes writes. */
  promote(): Promise<void>;
}

export interface StandbyOptions {
  /** Every commit of the primary waits until the standby has it on disk. */
  synchronous: boolean;
}

/** Null where the server's programs are in a container or have no pg_basebackup, as those from npm. */
export async function startPostgresStandby(
  primary: PostgresServer,
  { synchronous }: StandbyOptions,
): Promise<PostgresStandby | null> {
  const { programs } = primary;
  if (programs === undefined || !existsSync(join(programs, 'pg_basebackup'))) return null;
  const standby = await runPostgres(
    { programs, origin: `standby of ${primary.origin}` },
    {
      async makeData({ dataDir, place }) {
        await promisify(execFile)(
          join(programs, 'pg_basebackup'),
          [
            ...['--pgdata', dataDir, '--dbname', primary.url, '--checkpoint', 'fast'],
            ...['--wal-method', 'stream', '--write-recovery-conf', '--no-sync'],
          ],
          place,
        );
      },
    },
  );
  if (synchronous) {
    await queryOnce(primary.url, "alter system set synchronous_standby_names = '*'");
    await queryOnce(primary.url, 'select pg_reload_conf()');
  }
  await waitFor(
    async () => {
      const [row] = await queryOnce<{ state: string }>(
        primary.url,
        'select sync_state as state from pg_stat_replication',
      );
      return row?.state === (synchronous ? 'sync' : 'async');
    },
    { timeoutMs: 30_000, what: 'the standby to follow' },
  );
  return {
    ...standby,
    async promote() {
      await queryOnce(standby.url, 'select pg_promote()');
      await waitFor(
        async () =>
          (await queryOnce<{ standby: boolean }>(standby.url, 'select pg_is_in_recovery() as standby'))[0]
            ?.standby === false,
        { timeoutMs: 30_000, what: 'the standby to be promoted' },
      );
    },
  };
}
