import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { examine } from '../../src/doctor.js';
import { createPostrider } from '../../src/index.js';
import { createLogger, silentLogger } from '../../src/kernel/index.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import {
  createTestDatabase,
  describeWith,
  type Pooler,
  type PoolerOptions,
  poolerKeepsPrepared,
  startPooler,
  type TestDatabase,
} from '../services/index.js';

/** What the store finds out about a real PgBouncer, and what it does when it was wrong. */
describeWith('postgres', 'pgbouncer')('a connection pooler', () => {
  let created: TestDatabase;
  const closing: Array<() => Promise<void>> = [];
  beforeAll(async () => {
    created = await createTestDatabase();
  });
  afterEach(async () => {
    for (const close of closing.splice(0).reverse()) await close();
  });
  afterAll(() => created?.drop());

  const pooler = async (options: Omit<PoolerOptions, 'url'>): Promise<Pooler> => {
    const made = await startPooler({ url: created.url, ...options });
    closing.push(() => made.remove());
    return made;
  };
  const open = async (url: string, prepare = true, lines: string[] = []): Promise<Database> => {
    const logger = createLogger({ level: 'warn', destination: { write: (line) => lines.push(line) } });
    const database = await openDatabase(url, { prepare, logger, patienceMs: 10_000 });
    closing.push(() => database.close());
    return database;
  };

  const FORGETS: Record<string, number> = poolerKeepsPrepared() ? { max_prepared_statements: 0 } : {};
  const DIRECT = { shared: false, keepsStatements: true };
  const SHARED = { shared: true, keepsStatements: false };

  test('PostgreSQL itself → connections of our own, prepared statements are kept', async () => {
    expect(await (await open(created.url)).pooling()).toEqual(DIRECT);
    expect(await (await open(created.url, false)).pooling()).toEqual({ ...DIRECT, keepsStatements: false });
  });

  test('a server without a second connection for the check → unknown, and the first one works', async () => {
    const role = `limited_${created.name}`;
    const server = await open(created.url);
    await server.query(`create role ${role} login connection limit 1`);
    closing.push(() => server.query(`drop role ${role}`).then(() => undefined));
    const lines: string[] = [];
    const database = await open(Object.assign(new URL(created.url), { username: role }).href, true, lines);
    expect((await database.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    expect(await database.pooling()).toBeNull();
    expect(lines.join()).toContain('too many connections for role');
    expect((await database.query({ name: 'test_alone', text: 'select 2 as n' })).rows).toEqual([{ n: 2 }]);
  });

  test('session mode → as PostgreSQL itself', async () => {
    const { url } = await pooler({ mode: 'session' });
    expect(await (await open(url)).pooling()).toEqual(DIRECT);
  });

  test.each<[string, Record<string, number>]>([
    ['as it comes', {}],
    ['with one connection', { default_pool_size: 1 }],
    ['with two connections in turns', { default_pool_size: 2, min_pool_size: 2, server_round_robin: 1 }],
  ])('transaction mode, %s → shared, and statements are not prepared any more', async (_case, settings) => {
    const { url } = await pooler({ mode: 'transaction', settings: { ...FORGETS, ...settings } });
    const lines: string[] = [];
    const database = await open(url, true, lines);
    expect(await database.pooling()).toEqual(SHARED);
    expect(lines.join()).toContain('set POSTRIDER_DATABASE_PREPARE=false');
    expect([database.pipelines, database.copy]).toEqual([false, undefined]);
    const statement = { name: 'test_pooled', text: 'select $1::int as n' };
    const asked = Array.from({ length: 40 }, (_, n) => database.query(statement, [n]));
    expect((await Promise.all(asked)).map(({ rows }) => rows[0])).toEqual(asked.map((_, n) => ({ n })));
    expect(await (await open(url, false)).pooling()).toEqual(SHARED);
  });

  describe('in transaction mode, of which the store does not know', () => {
    const statement = { name: 'test_lost', text: 'select $1::int as n, pg_backend_pid() as pid' };
    const lost = async (url: string, lines: string[] = []) => {
      const [one, two] = [await open(url, true, lines), await open(url, true)];
      // Both give the statement its name on the one connection there is.
      expect((await one.query(statement, [1])).rows).toMatchObject([{ n: 1 }]);
      return two;
    };
    const settings = { default_pool_size: 1, ...FORGETS };

    test('a statement is lost outside a transaction → it is put again, and has its answer', async () => {
      const { url } = await pooler({ mode: 'transaction', settings });
      const database = await lost(url);
      const asked = Array.from({ length: 20 }, (_, n) => database.query(statement, [n]));
      expect((await Promise.all(asked)).map(({ rows }) => rows[0])).toMatchObject(
        asked.map((_, n) => ({ n })),
      );
      expect([database.pipelines, database.copy]).toEqual([false, undefined]);
    });

    test('it is lost inside a transaction → STORE_STATEMENT_LOST names the setting, and the next one commits', async () => {
      const { url } = await pooler({ mode: 'transaction', settings });
      const database = await lost(url);
      const work = () => database.transaction((tx) => tx.query(statement, [7]));
      await expect(work()).rejects.toMatchObject({
        code: 'STORE_STATEMENT_LOST',
        message: expect.stringContaining('42P05'),
        help: expect.stringContaining('POSTRIDER_DATABASE_PREPARE=false'),
      });
      expect((await work()).rows).toMatchObject([{ n: 7 }]);
    });

    test('a session loses it → it is put again, and the session goes on', async () => {
      const { url } = await pooler({ mode: 'transaction', settings });
      const database = await lost(url);
      const session = await database.openSession();
      closing.push(() => session.close());
      for (const n of [1, 2, 3]) expect((await session.query(statement, [n])).rows).toMatchObject([{ n }]);
    });
  });

  test.skipIf(!poolerKeepsPrepared())(
    'transaction mode that keeps prepared statements (PgBouncer 1.21 or later) → they are used, and nothing else that few poolers can',
    async () => {
      const settings = { max_prepared_statements: 100, default_pool_size: 3 };
      const { url } = await pooler({ mode: 'transaction', settings });
      const lines: string[] = [];
      const database = await open(url, true, lines);
      expect(await database.pooling()).toEqual({ shared: true, keepsStatements: true });
      expect([database.pipelines, database.copy]).toEqual([false, undefined]);
      const statement = { name: 'test_kept', text: 'select $1::int as n' };
      const asked = Array.from({ length: 200 }, (_, n) => database.query(statement, [n]));
      expect((await Promise.all(asked)).map(({ rows }) => rows[0])).toEqual(asked.map((_, n) => ({ n })));
      expect(lines).toEqual([]);
    },
  );

  const MODES = [
    ['session', true],
    ['session', false],
    ['transaction', true],
    ['transaction', false],
  ] as const;
  test.each(MODES)(
    '%s mode, prepare %s → single emails, batches and transactions are accepted, whole or not at all',
    async (mode, prepare) => {
      const { url } = await pooler({ mode });
      const postrider = createPostrider({
        database: url,
        from: { address: 'noreply@example.com' },
        logger: silentLogger,
        config: { database: { prepare }, limits: { enabled: false } },
      });
      closing.push(() => postrider.stop({ deadlineMs: 0 }));
      const emails = Array.from({ length: 300 }, (_, at) => ({
        ...{ to: `pooled-${at}@example.com`, subject: `pooled ${at}`, text: 'x'.repeat(2000) },
      }));
      const batches = await Promise.all([0, 1, 2, 3].map(() => postrider.sendBatch(emails)));
      const singles = await Promise.all(emails.slice(0, 30).map((email) => postrider.send(email)));
      const refused = new Error('rolled back on purpose');
      let undone = '';
      const undoing = postrider.transaction(async (tx) => {
        undone = (await postrider.send(emails[0]!, { tx })).emailId;
        throw refused;
      });
      await expect(undoing).rejects.toBe(refused);
      const database = await open(created.url);
      const { rows } = await database.query<{ id: string }>(
        'select id from postrider.emails where id = any($1)',
        [[...batches.flat(), ...singles].map(({ emailId }) => emailId)],
      );
      expect(rows).toHaveLength(4 * emails.length + 30);
      expect(await postrider.get(undone)).toBeNull();
    },
  );

  describe('compiling statements and parallel workers', () => {
    const SETTINGS =
      "select current_setting('jit') as jit, current_setting('max_parallel_workers_per_gather') as workers";
    const DEFAULTS = { jit: 'on', workers: '2' };
    const OFF = { jit: 'off', workers: '0' };
    /** Of several connections at once. */
    const settingsOf = async (database: Database) => {
      const asked = [1, 2, 3].map(() =>
        database.transaction(async (tx) => {
          await tx.query('select pg_sleep(0.1)');
          return (await tx.query<typeof OFF>(SETTINGS)).rows[0];
        }),
      );
      return (await Promise.all(asked)) as unknown[];
    };

    test('PostgreSQL itself → off on every connection, without a statement', async () => {
      expect(await settingsOf(await open(created.url))).toEqual([OFF, OFF, OFF]);
    });

    test('the URL has options of its own → what they say is left, the rest is off', async () => {
      const url = new URL(created.url);
      url.searchParams.set('options', '-c jit=on');
      const database = await open(url.href);
      await database.pooling();
      const own = { jit: 'on', workers: '0' };
      expect(await settingsOf(database)).toEqual([own, own, own]);
    });

    test('a pool of the application’s → as the application has it', async () => {
      const pool = new pg.Pool({ connectionString: created.url });
      closing.push(() => pool.end());
      const database = await openDatabase(pool, { patienceMs: 10_000 });
      await database.pooling();
      expect(await settingsOf(database)).toEqual([DEFAULTS, DEFAULTS, DEFAULTS]);
    });

    test.each([
      ['refuses startup options', {}],
      ['drops startup options', { ignore_startup_parameters: 'options' }],
    ])(
      'a pooler in session mode that %s → off once it is known that nobody shares',
      async (_case, settings) => {
        const { url } = await pooler({ mode: 'session', settings });
        const lines: string[] = [];
        const database = await open(url, true, lines);
        expect(await database.pooling()).toEqual(DIRECT);
        expect(await settingsOf(database)).toEqual([OFF, OFF, OFF]);
        expect(lines).toEqual([]);
      },
    );

    test('a pooler that shares connections → they stay as others use them', async () => {
      const { url } = await pooler({ mode: 'transaction', settings: { ...FORGETS, default_pool_size: 2 } });
      const database = await open(url, false);
      expect((await database.pooling())?.shared).toBe(true);
      expect(await settingsOf(database)).toEqual([DEFAULTS, DEFAULTS, DEFAULTS]);
    });

    test('a session is the first to connect through a pooler that refuses startup options → it is open', async () => {
      const { url } = await pooler({ mode: 'session' });
      const session = await (await open(url)).openSession();
      closing.push(() => session.close());
      expect((await session.query('select 1 as n')).rows).toEqual([{ n: 1 }]);
    });
  });

  test('what a pooler refuses for good → STORE_REFUSED, not a database that is away', async () => {
    const statement = await pooler({ mode: 'statement' });
    await expect((await open(statement.url)).transaction((tx) => tx.query('select 1'))).rejects.toMatchObject(
      {
        code: 'STORE_REFUSED',
      },
    );
    const { url } = await pooler({ mode: 'transaction' });
    const refused = (change: (url: URL) => void) => {
      const changed = new URL(url);
      change(changed);
      return open(changed.href).then((database) => database.query('select 1'));
    };
    await expect(refused((to) => to.searchParams.set('statement_timeout', '1000'))).rejects.toMatchObject({
      code: 'STORE_REFUSED',
      message: expect.stringContaining('statement_timeout'),
    });
    await expect(refused((to) => (to.pathname = '/no_such_database'))).rejects.toMatchObject({
      code: 'STORE_REFUSED',
    });
    await expect(refused((to) => (to.username = 'no_such_user'))).rejects.toMatchObject({
      code: 'STORE_REFUSED',
    });
  });

  test.each([
    ['session', true, { ok: true }],
    ['transaction', true, { ok: false, code: 'STORE_STATEMENT_LOST' }],
    ['transaction', false, { ok: true, note: true }],
  ] as const)('doctor in %s mode, prepare %s → it has tried', async (mode, prepare, finding) => {
    const { url } = await pooler({ mode, settings: FORGETS });
    const config = loadConfig({ overrides: { database: { url, prepare } } });
    const postrider = createPostrider({
      ...{ database: url, logger: silentLogger, config: { database: { prepare } } },
    });
    closing.push(() => postrider.stop({ deadlineMs: 0 }));
    const findings = await examine({ config, postrider, fresh: false });
    const found = findings.find(({ check }) => check === 'connections');
    expect(found).toMatchObject(finding);
    if (!found?.ok) expect(found?.help).toContain('POSTRIDER_DATABASE_PREPARE=false');
  });
});
