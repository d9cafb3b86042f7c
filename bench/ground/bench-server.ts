import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { migrate, openDatabase } from '../../src/store/index.js';
import { startPrivatePostgres } from '../../test/services/private-postgres.js';
import { serverCpuSeconds } from './process-usage.js';

/**
 * The PostgreSQL of the benches: one of their own with stated settings and fsync on, or the one
 * BENCH_DATABASE_URL names, which must let us create databases.
 */
export interface BenchServer {
  origin: string;
  settings: Record<string, string>;
  open(): Promise<BenchDatabase>;
  /** CPU seconds the server has used; null when it is on another machine. */
  cpuSeconds(): Promise<number | null>;
  remove(): Promise<void>;
}

export interface BenchDatabase {
  url: string;
  /** One connection for questions and for filling. */
  client: pg.Client;
  drop(): Promise<void>;
}

/** A small server's usual tuning; what durability rests on stays at its default. */
export const BENCH_SETTINGS = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  checkpoint_timeout: '30min',
  random_page_cost: '1.1',
};

const TOLD = [
  'server_version',
  'fsync',
  'synchronous_commit',
  'full_page_writes',
  'wal_compression',
  ...Object.keys(BENCH_SETTINGS),
];

export async function startBenchServer(
  chosen: Record<string, string> = BENCH_SETTINGS,
): Promise<BenchServer> {
  const given = process.env.BENCH_DATABASE_URL;
  const own = given ? null : await startPrivatePostgres({ settings: chosen });
  const adminUrl = given ?? own!.url;
  const settings = await withClient(adminUrl, async (client) => {
    const { rows } = await client.query<{ name: string; value: string }>(
      'select name, current_setting(name) as value from pg_settings where name = any($1) order by name',
      [TOLD],
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.value]));
  });
  return {
    origin: own?.origin ?? `BENCH_DATABASE_URL, ${new URL(adminUrl).host}`,
    settings,
    open: () => openBenchDatabase(adminUrl),
    cpuSeconds: () => withClient(adminUrl, serverCpuSeconds),
    remove: async () => own?.remove(),
  };
}

async function openBenchDatabase(adminUrl: string): Promise<BenchDatabase> {
  const name = `postrider_bench_${randomBytes(4).toString('hex')}`;
  await withClient(adminUrl, (client) => client.query(`create database ${name}`));
  const url = new URL(adminUrl);
  url.pathname = `/${name}`;
  const database = await openDatabase(url.href, {});
  await migrate(database);
  await database.close();
  const client = new pg.Client(url.href);
  await client.connect();
  return {
    url: url.href,
    client,
    async drop() {
      await client.end();
      await withClient(adminUrl, (admin) => admin.query(`drop database if exists ${name} with (force)`));
    },
  };
}

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
