import { PGlite } from '@electric-sql/pglite';
import { drizzle } from 'drizzle-orm/node-postgres';
import { drizzle as drizzleOnPostgresJs } from 'drizzle-orm/postgres-js';
import knex from 'knex';
import { Kysely, PostgresDialect } from 'kysely';
import pg from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { describe, expect, test } from 'vitest';
import { callerTransaction } from './caller-transaction.js';
import type { CallerTransaction } from './callers/caller-transaction-type.js';

const ONLY_IN_TRANSACTION = 'lock table postrider.schema_migrations in access share mode';

describe("the caller's transaction", () => {
  test('pg’s way → text and values passed, never a name, rows returned', async () => {
    const seen: unknown[] = [];
    const tx = callerTransaction({
      async query(...args: unknown[]) {
        seen.push(args);
        return { rows: [{ n: 1 }], rowCount: 1 };
      },
    });
    expect(await tx.query({ name: 'prepared', text: 'select $1' }, [1])).toEqual({
      rows: [{ n: 1 }],
      rowCount: 1,
    });
    expect(await tx.query('select 1')).toEqual({ rows: [{ n: 1 }], rowCount: 1 });
    expect(seen).toEqual([
      [ONLY_IN_TRANSACTION, []],
      ['select $1', [1]],
      ['select 1', []],
    ]);
  });

  test('postgres.js’s way → unsafe is used although it is a function with much else on it', async () => {
    const sql = Object.assign(() => {}, {
      unsafe: async (text: string, values: unknown[]) => [{ text, values }],
      query: async () => {
        throw new Error('not this one');
      },
    });
    expect(await callerTransaction(sql).query('select $1', ['x'])).toEqual({
      rows: [{ text: 'select $1', values: ['x'] }],
      rowCount: 1,
    });
  });

  test('values → a copy, so that the caller’s driver cannot change ours', async () => {
    const values = Object.freeze([1, 2]);
    const tx = callerTransaction({
      async query(_text: string, given: unknown[]) {
        given.push(3);
        return { rows: [] };
      },
    });
    await expect(tx.query('select 1', values)).resolves.toEqual({ rows: [], rowCount: 0 });
  });

  test.each([
    ['23505', 'STORE_FAILED'],
    ['40001', 'STORE_BUSY'],
    ['42P01', 'STORE_NOT_MIGRATED'],
    ['25P01', 'UNSUPPORTED_TRANSACTION'],
    ['25P02', 'TRANSACTION_ABORTED'],
  ])("the database's error %s → %s with it as the cause", async (sqlState, code) => {
    const failure = Object.assign(new Error('no'), { code: sqlState });
    const tx = callerTransaction({ query: () => Promise.reject(failure) });
    await expect(tx.query('select 1')).rejects.toMatchObject({ code, cause: failure });
  });

  test("an error that is no database's → passed on as it is", async () => {
    const failure = new Error('the application has its own');
    const tx = callerTransaction({ query: () => Promise.reject(failure) });
    await expect(tx.query('select 1')).rejects.toBe(failure);
  });

  test.each([
    ['P2010', { code: 'P2010', meta: { code: '25P02', message: 'current transaction is aborted' } }],
    [
      'P2010 of version 7',
      { code: 'P2010', meta: { driverAdapterError: { cause: { originalCode: '25P02' } } } },
    ],
  ])("Prisma's %s → the code of the server's error in it", async (_name, fields) => {
    const failure = Object.assign(new Error('Raw query failed'), fields);
    const tx = callerTransaction({ $queryRawUnsafe: () => Promise.reject(failure) });
    await expect(tx.query('select 1')).rejects.toMatchObject({ code: 'TRANSACTION_ABORTED', cause: failure });
  });

  test.each([undefined, null, 7, 'sql', {}, { query: 1 }])('%j → UNSUPPORTED_TRANSACTION', (tx) => {
    expect(() => callerTransaction(tx)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_TRANSACTION', field: 'tx' }),
    );
  });

  test('a pool, a client, a database or a text → does not compile', () => {
    const take = (_tx: CallerTransaction) => {};
    const prisma = { $queryRawUnsafe: async () => [], $connect: async () => {} };
    const uses = [
      // @ts-expect-error a pool
      () => take(new pg.Pool()),
      // @ts-expect-error a pool of postgres.js
      () => take(postgres('postgres://nowhere')),
      // @ts-expect-error Drizzle's database
      () => take(drizzle(new pg.Pool())),
      // @ts-expect-error Drizzle's database
      () => take(drizzleOnPostgresJs(postgres('postgres://nowhere'))),
      // @ts-expect-error Kysely without a transaction
      () => take(new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool() }) })),
      // @ts-expect-error Knex without a transaction
      () => take(knex({ client: 'pg' })),
      // @ts-expect-error a DataSource of TypeORM
      () => take(new DataSource({ type: 'postgres' })),
      // @ts-expect-error Prisma's client
      () => take(prisma),
      // @ts-expect-error a PGlite
      () => take(new PGlite()),
      // @ts-expect-error a URL
      () => take('postgres://nowhere'),
      // @ts-expect-error nothing
      () => take(null),
      // @ts-expect-error no query in it
      () => take({}),
      () => take(new pg.Client()),
      () => postgres('postgres://nowhere').begin(async (sql) => take(sql)),
      () => postgres('postgres://nowhere').reserve().then(take),
      () => drizzle(new pg.Pool()).transaction(async (tx) => take(tx)),
      () => new PGlite().transaction(async (tx) => take(tx)),
    ];
    expect(uses).toHaveLength(17);
  });

  // Written there, an email would be committed at once, whatever becomes of the transaction beside it.
  const pool = new pg.Pool();
  const roots: Array<[string, () => unknown]> = [
    ['a pg pool', () => pool],
    ['postgres.js', () => postgres('postgres://nowhere')],
    ['Drizzle on pg', () => drizzle(pool)],
    ['Drizzle on postgres.js', () => drizzleOnPostgresJs(postgres('postgres://nowhere'))],
    ['Kysely', () => new Kysely({ dialect: new PostgresDialect({ pool }) })],
    ['Knex', () => knex({ client: 'pg' })],
    ['a DataSource of TypeORM', () => new DataSource({ type: 'postgres' })],
    ['its manager', () => new DataSource({ type: 'postgres' }).manager],
    ['Prisma', () => ({ $queryRawUnsafe: async () => [], $connect: async () => {} })],
    ['PGlite', () => ({ query() {}, transaction() {}, exec() {}, listen() {} })],
  ];
  test.each(roots)('%s without a transaction → UNSUPPORTED_TRANSACTION', (_name, root) => {
    const tx = root();
    expect(() => callerTransaction(tx)).toThrow(
      expect.objectContaining({ code: 'UNSUPPORTED_TRANSACTION', message: expect.stringContaining('pass') }),
    );
  });

  test('Prisma’s way → what the statement casts goes as text, lists too; the rest as it is', async () => {
    const seen: unknown[][] = [];
    const tx = callerTransaction({
      async $queryRawUnsafe(...args: unknown[]) {
        seen.push(args);
        return [{ n: 1 }];
      },
    });
    const at = new Date(0);
    const text = 'select $1::uuid[], $2::jsonb, $3, $3::text, $4::smallint, $10::timestamptz, $5::text[]';
    await tx.query(text, [['a', null, 'q"\\,{}'], { a: 1 }, 'x', 4, []]);
    expect(seen).toEqual([
      [
        'select $1::text::uuid[], $2::text::jsonb, $3, $3::text, $4::text::smallint, $10::timestamptz, $5::text::text[]',
        '{"a",NULL,"q\\"\\\\,{}"}',
        '{"a":1}',
        'x',
        '4',
        '{}',
      ],
    ]);
    await tx.query('select $1::timestamptz', [at]);
    expect(seen[1]).toEqual(['select $1::text::timestamptz', '1970-01-01T00:00:00.000Z']);
  });

  test.each([undefined, null, {}, { rows: 1 }])(
    'an answer of %j → UNSUPPORTED_TRANSACTION',
    async (answer) => {
      await expect(callerTransaction({ query: async () => answer }).query('select 1')).rejects.toMatchObject({
        code: 'UNSUPPORTED_TRANSACTION',
      });
    },
  );
});
