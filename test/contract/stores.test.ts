import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import * as source from '../../src/store/index.js';
import {
  createEmbeddedFolder,
  createEmptyDatabase,
  freePort,
  queryOnce,
  startPrivatePostgres,
  waitFor,
} from '../services/index.js';
import { storeContract } from './store.contract.js';

/** The stores against the contract, and what only one of them can promise. */
const COMPILED = new URL('../../.build/src/store/index.js', import.meta.url).href;
const compiled = () => import(COMPILED) as Promise<typeof source>;

async function folder(): Promise<string> {
  return mkdtemp(join(tmpdir(), 'postrider-store-'));
}

storeContract('PostgreSQL by URL', async () => {
  const database = await createEmptyDatabase();
  return {
    store: source,
    shared: true,
    open: () => source.openDatabase(database.url),
    remove: () => database.drop(),
  };
});

storeContract("PostgreSQL by the application's pool", async () => {
  const database = await createEmptyDatabase();
  const pool = new pg.Pool({ connectionString: database.url });
  pool.on('error', () => undefined); // dropping the database may overtake the end of a session
  return {
    store: source,
    shared: true,
    open: () => source.openDatabase(pool),
    async remove() {
      await pool.end();
      await database.drop();
    },
  };
});

storeContract('PGlite in a folder', async () => {
  const path = await folder();
  const store = await compiled();
  return {
    store,
    shared: false,
    open: () => store.openDatabase({ folder: path }),
    remove: () => rm(path, { recursive: true, force: true }),
  };
});

storeContract("PGlite of the application's own", async () => {
  const pglite = await PGlite.create();
  return {
    store: source,
    shared: false,
    keepsMarks: false,
    open: () => source.openDatabase(pglite),
    remove: () => pglite.close(),
  };
});

describe('PGlite only', () => {
  let path: string;
  let database: source.Database;
  beforeAll(async () => {
    path = await folder();
    database = await (await compiled()).openDatabase({ folder: path });
  });
  afterAll(async () => {
    await database.close();
    await rm(path, { recursive: true, force: true });
  });

  test('a call without tx inside a transaction → STORE_NESTED_CALL at once, the transaction goes on', async () => {
    const before = performance.now();
    const answer = await database.transaction(async (tx) => {
      await expect(database.query('select 1')).rejects.toMatchObject({ code: 'STORE_NESTED_CALL' });
      await expect(database.transaction(async () => 1)).rejects.toMatchObject({ code: 'STORE_NESTED_CALL' });
      return (await tx.query<{ n: number }>('select 2 as n')).rows[0]!.n;
    });
    expect(answer).toBe(2);
    expect(performance.now() - before).toBeLessThan(4000);
  });

  test('a call beside a transaction of someone else → waits its turn', async () => {
    const order: string[] = [];
    let inside: () => void = () => {};
    const entered = new Promise<void>((resolve) => {
      inside = resolve;
    });
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    const transaction = database.transaction(async (tx) => {
      inside();
      await held;
      await tx.query('select 1');
      order.push('transaction');
    });
    await entered;
    const beside = database.query('select 1').then(() => order.push('beside'));
    release();
    await Promise.all([transaction, beside]);
    expect(order).toEqual(['transaction', 'beside']);
  });

  test('opened again in the same process → STORE_LOCKED', async () => {
    await expect((await compiled()).openDatabase({ folder: path })).rejects.toMatchObject({
      code: 'STORE_LOCKED',
    });
  });

  test('opened by a second process → STORE_LOCKED, and the first is unharmed', async () => {
    const second = hold(path);
    expect(await second.next()).toBe('STORE_LOCKED');
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  test('its folder deleted while it runs → STORE_UNAVAILABLE that names it, instead of writes into nothing', async () => {
    const doomed = await folder();
    const open = await (await compiled()).openDatabase({ folder: doomed });
    await open.query('create table kept (n integer)');
    await rm(doomed, { recursive: true, force: true });
    await expect
      .poll(() => open.query('insert into kept values (1)').then(() => 'taken', String), { timeout: 10_000 })
      .toContain(`The folder ${doomed} of the embedded store has been deleted or moved`);
    await expect(open.transaction(async (tx) => tx.query('select 1'))).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
    });
    await open.close();
  });

  test('files that are damaged → STORE_UNREADABLE with the folder; the lock is free again', async () => {
    const damaged = await createEmbeddedFolder();
    onTestFinished(damaged.remove);
    await truncate(join(damaged.folder, 'pgdata/global/pg_control'), 10);
    const opening = async () => (await compiled()).openDatabase({ folder: damaged.folder });
    for (let time = 0; time < 2; time++) {
      await expect(opening()).rejects.toMatchObject({
        code: 'STORE_UNREADABLE',
        message: expect.stringContaining(damaged.folder),
      });
    }
  });

  test('its process killed by SIGKILL → the folder is free and every acknowledged row is there', async () => {
    const killed = await folder();
    onTestFinished(() => rm(killed, { recursive: true, force: true }));
    const holder = hold(killed);
    expect(await holder.next()).toBe('open');
    let acknowledged = 0;
    while (acknowledged < 40) acknowledged = Number(await holder.next());
    holder.process.kill('SIGKILL');
    await once(holder.process, 'exit');
    acknowledged = Math.max(acknowledged, ...holder.lines().map(Number));
    const reopened = await (await compiled()).openDatabase({ folder: killed });
    const { rows } = await reopened.query<{ n: number }>('select count(*)::int as n from kept');
    expect(rows[0]!.n).toBeGreaterThanOrEqual(acknowledged);
    await reopened.close();
  });
});

function hold(path: string) {
  const script = fileURLToPath(
    new URL('../../.build/test/contract/ground/folder-holder.js', import.meta.url),
  );
  const child: ChildProcess = spawn(process.execPath, [script, path], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const said: string[] = [];
  createInterface({ input: child.stdout! }).on('line', (line) => said.push(line));
  return {
    process: child,
    /** What it has said and nobody has read yet. */
    lines: () => said.splice(0),
    next: async () => {
      await waitFor(() => said.length > 0, { timeoutMs: 30_000, what: 'a word of the holder', everyMs: 5 });
      return said.shift()!;
    },
  };
}

describe('PostgreSQL only', () => {
  test('a session whose backend is ended → onLost once, and a new session can be opened', async () => {
    const test = await createEmptyDatabase();
    const database = await source.openDatabase(test.url);
    const session = await database.openSession();
    const losses: Error[] = [];
    session.onLost((error) => losses.push(error));
    const { rows } = await session.query<{ pid: number }>('select pg_backend_pid() as pid');
    await queryOnce(test.url, `select pg_terminate_backend(${rows[0]!.pid})`);
    await waitFor(() => losses.length > 0, { timeoutMs: 5000, what: 'the loss to be told' });
    await expect(session.query('select 1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    const late: Error[] = [];
    session.onLost((error) => late.push(error));
    expect([losses.length, late.length]).toEqual([1, 1]);
    const next = await database.openSession();
    expect((await next.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await next.close();
    await database.close();
    await test.drop();
  });

  test('idle connections ended by the server → the next call works', async () => {
    const test = await createEmptyDatabase();
    const database = await source.openDatabase(test.url);
    await Promise.all([1, 2, 3].map(() => database.query('select pg_sleep(0.01)')));
    await queryOnce(
      test.url,
      `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = '${test.name}' and pid <> pg_backend_pid()`,
    );
    const answer = await waitFor(
      async () => (await database.query<{ one: number }>('select 1 as one')).rows,
      {
        timeoutMs: 3000,
        what: 'an answer again',
      },
    );
    expect(answer).toEqual([{ one: 1 }]);
    await database.close();
    await test.drop();
  });

  test.each([
    ['nobody listens', refused],
    ['somebody listens and never answers', silent],
  ])('%s → STORE_UNAVAILABLE in moments, for query, transaction and session', async (_case, serve) => {
    const database = await source.openDatabase(await serve());
    const took: number[] = [];
    for (const call of [
      () => database.query('select 1'),
      () => database.transaction(async (tx) => tx.query('select 1')),
      () => database.openSession(),
    ]) {
      const before = performance.now();
      await expect(call()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
      took.push(performance.now() - before);
    }
    // It gives up after 0.8 s; the rest is what a crowded machine may add.
    expect(Math.max(...took)).toBeLessThan(8000);
    await database.close();
  });

  test('stopped and started again → STORE_UNAVAILABLE meanwhile, then answers by itself', async () => {
    const server = await startPrivatePostgres();
    onTestFinished(() => server.remove());
    const database = await source.openDatabase(server.url);
    await database.query('select 1');
    await server.stop('immediate');
    await waitFor(
      async () =>
        (await database.query('select 1').catch((error: { code: string }) => error.code)) ===
        'STORE_UNAVAILABLE',
      { timeoutMs: 5000, what: 'the store to be away' },
    );
    const before = performance.now();
    await expect(database.query('select 1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(performance.now() - before).toBeLessThan(4000);
    await server.start();
    expect((await database.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await database.close();
  });
});

async function refused(): Promise<string> {
  return `postgres://someone@127.0.0.1:${await freePort()}/none`;
}

async function silent(): Promise<string> {
  const server = createServer((socket) => socket.on('error', () => undefined));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return `postgres://someone@127.0.0.1:${(server.address() as { port: number }).port}/none`;
}
