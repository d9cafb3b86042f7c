import { PGlite } from '@electric-sql/pglite';
import { drizzle as drizzleOnPg } from 'drizzle-orm/node-postgres';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { CamelCasePlugin, Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { type CallerTransaction, createPostrider, type Postrider } from '../../../src/index.js';
import { openJourney } from './open-journey.js';
import { openPrisma } from './prisma-client.js';
import { prismaShaped } from './prisma-shaped.js';
import { type ScriptedProvider, scriptedProvider } from './scripted-provider.js';

/** Every transaction object an application may hand over, each from its real package. */
export interface Caller {
  postrider: Postrider;
  provider: ScriptedProvider;
  /** Runs `work` in a transaction of the application's own; a throw rolls back. */
  transaction(
    work: (tx: CallerTransaction, run: (sql: string) => Promise<unknown>) => Promise<void>,
  ): Promise<void>;
  rows(sql: string): Promise<unknown[]>;
  close(): Promise<void>;
}

async function onPostgres(
  begin: (url: string) => Promise<Pick<Caller, 'transaction'> & { end(): Promise<void> }>,
): Promise<Caller> {
  const journey = await openJourney();
  const { transaction, end } = await begin(journey.url);
  return {
    ...journey,
    transaction,
    rows: async (sql) => (await journey.pool.query(sql)).rows,
    async close() {
      await end();
      await journey.close();
    },
  };
}

export const callers: Array<[string, () => Promise<Caller>]> = [
  ['a pg client', () => onPostgres((url) => withPg(url, (client) => client))],
  [
    'a plain { query }',
    () =>
      onPostgres((url) =>
        withPg(url, (client) => ({
          query: (text: string, values: unknown[]) => client.query(text, values),
        })),
      ),
  ],
  [
    'a { query } that answers with rows alone',
    () =>
      onPostgres((url) =>
        withPg(url, (client) => ({
          query: async (text: string, values: unknown[]) => (await client.query(text, values)).rows,
        })),
      ),
  ],
  ['postgres.js', () => onPostgres(withPostgresJs)],
  ['PGlite', withPglite],
  ['Drizzle on pg', () => onPostgres(withDrizzleOnPg)],
  ['Drizzle on postgres.js', () => onPostgres(withDrizzleOnPostgresJs)],
  ['Kysely', () => onPostgres(withKysely)],
  ['Knex', () => onPostgres(withKnex)],
  ["TypeORM's manager", () => onPostgres((url) => withTypeorm(url, 'manager'))],
  ["TypeORM's query runner", () => onPostgres((url) => withTypeorm(url, 'runner'))],
  ['Prisma', () => onPostgres(withPrisma)],
  ["an older Prisma's shape", () => onPostgres((url) => withPg(url, prismaShaped))],
];

async function withPg(url: string, asTx: (client: pg.PoolClient) => CallerTransaction) {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const transaction: Caller['transaction'] = async (work) => {
    const client = await pool.connect();
    try {
      await client.query('begin');
      await work(asTx(client), (sql) => client.query(sql));
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  };
  return { transaction, end: () => pool.end() };
}

async function withPostgresJs(url: string) {
  const sql = postgres(url, { max: 2, onnotice: () => {} });
  const transaction: Caller['transaction'] = async (work) => {
    await sql.begin((tx) => work(tx, (text) => tx.unsafe(text)));
  };
  return { transaction, end: () => sql.end() };
}

async function withPglite(): Promise<Caller> {
  const pglite = await PGlite.create();
  const provider = scriptedProvider();
  const postrider = createPostrider({
    database: pglite,
    provider,
    from: { address: 'noreply@example.com' },
    config: { log: { level: 'error' }, worker: { pollIntervalMs: 100 } },
  });
  await postrider.ready();
  return {
    postrider,
    provider,
    transaction: async (work) => {
      await pglite.transaction((tx) => work(tx, (sql) => tx.query(sql)));
    },
    rows: async (sql) => (await pglite.query(sql)).rows,
    async close() {
      await postrider.stop({ deadlineMs: 2000 });
      await pglite.close();
    },
  };
}

async function withDrizzleOnPg(url: string) {
  const pool = new pg.Pool({ connectionString: url, max: 2 });
  const db = drizzleOnPg(pool);
  const transaction: Caller['transaction'] = (work) =>
    db.transaction((tx) => work(tx, (text) => tx.execute(text)));
  return { transaction, end: () => pool.end() };
}

async function withDrizzleOnPostgresJs(url: string) {
  const client = postgres(url, { max: 2, onnotice: () => {} });
  const db = drizzleOnPostgresJs(client);
  // Nested, as an application's own functions often are.
  const transaction: Caller['transaction'] = (work) =>
    db.transaction((outer) => outer.transaction((tx) => work(tx, (text) => tx.execute(text))));
  return { transaction, end: () => client.end() };
}

async function withKysely(url: string) {
  const db = new Kysely<object>({
    dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: url, max: 2 }) }),
    plugins: [new CamelCasePlugin()],
  });
  const transaction: Caller['transaction'] = (work) =>
    db.transaction().execute((tx) => work(tx, (text) => sql.raw(text).execute(tx)));
  return { transaction, end: () => db.destroy() };
}

async function withKnex(url: string) {
  const db = knex({ client: 'pg', connection: url, pool: { min: 0, max: 2 } });
  const transaction: Caller['transaction'] = (work) =>
    db.transaction((tx) => work(tx, (text) => tx.raw(text)));
  return { transaction, end: () => db.destroy() };
}

async function withPrisma(url: string) {
  const prisma = openPrisma(url);
  const transaction: Caller['transaction'] = (work) =>
    prisma.$transaction((tx: Omit<typeof prisma, '$connect'>) =>
      work(tx, (text) => tx.$executeRawUnsafe(text)),
    );
  return { transaction, end: () => prisma.$disconnect() };
}

async function withTypeorm(url: string, pass: 'manager' | 'runner') {
  const source = await new DataSource({ type: 'postgres', url, poolSize: 2 }).initialize();
  const transaction: Caller['transaction'] = (work) =>
    source.transaction((manager) =>
      work(pass === 'manager' ? manager : manager.queryRunner!, (text) => manager.query(text)),
    );
  return { transaction, end: () => source.destroy() };
}
