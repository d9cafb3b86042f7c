import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { loadConfig } from '../../src/config.js';
import { PostriderError, silentLogger, systemClock } from '../../src/kernel/index.js';
import type * as outbox from '../../src/outbox/index.js';
import * as pipelines from '../../src/pipeline/index.js';
import { createConsoleProvider, createRouteTable } from '../../src/providers/index.js';
import { createRunningWorker } from '../../src/run-worker.js';
import { type Database, migrate, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, type TestDatabase, waitFor } from '../services/index.js';

/** A worker that does not begin, or not at once. */
const failing = vi.hoisted(() => ({
  part: '',
  error: null as unknown,
  times: 0,
  begun: 0,
  ended: 0,
}));

/** Fails at its start, and counts which of them were stopped. */
function fragile<T extends { start(): Promise<void>; stop(options?: object): Promise<void> }>(
  part: string,
  real: T,
): T {
  return {
    ...real,
    async start() {
      failing.begun += 1;
      await real.start();
      if (failing.part !== part || failing.times === 0) return;
      failing.times -= 1;
      throw failing.error;
    },
    async stop(options?: object) {
      failing.ended += 1;
      await real.stop(options);
    },
  };
}

vi.mock('../../src/outbox/index.js', async (original) => {
  const real = await original<typeof outbox>();
  return {
    ...real,
    createSweeper: (options: never) => fragile('sweeper', real.createSweeper(options)),
    createPruner: (options: never) => fragile('pruner', real.createPruner(options)),
    createTallier: (options: never) => fragile('tallier', real.createTallier(options)),
  };
});

vi.mock('../../src/pipeline/index.js', async (original) => {
  const real = await original<typeof pipelines>();
  return { ...real, createWorker: (options: never) => fragile('pipeline', real.createWorker(options)) };
});

let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await openDatabase(server.url);
  await migrate(database);
});
afterAll(async () => {
  await database?.close();
  await server?.drop();
});
beforeEach(() => {
  Object.assign(failing, { part: '', error: null, times: 0, begun: 0, ended: 0 });
});

function aWorker(open: () => Promise<Database> = async () => database) {
  const worker = createRunningWorker({
    database: open,
    config: loadConfig({ env: {}, file: null, overrides: {} }),
    routes: createRouteTable([
      { name: 'default', provider: createConsoleProvider({ logger: silentLogger }) },
    ]),
    sender: { address: 'noreply@example.com' },
    unsubscribeUrl: null,
    metrics: pipelines.createPipelineMetrics(),
    onOwed: () => {},
    onOwedForAnother: () => {},
    receiveForeign: async () => ({ kind: 'done' }),
    ...{ clock: systemClock, random: () => 0.5, logger: silentLogger },
  });
  onTestFinished(() => worker.stop({ deadlineMs: 0 }));
  return worker;
}

async function leases(): Promise<number> {
  const { rows } = await database.query<{ alive: number }>(
    'select count(*)::int as alive from postrider.workers where ended_at is null',
  );
  return rows[0]!.alive;
}

describe.each(['sweeper', 'pruner', 'tallier', 'pipeline'])('%s cannot be started', (part) => {
  test('for good → start rejects, and what had been started is stopped, the lease ended', async () => {
    Object.assign(failing, { part, times: 1, error: new TypeError('odd') });
    await expect(aWorker().start()).rejects.toMatchObject({
      code: 'START_FAILED',
      message: expect.stringContaining('odd'),
      cause: failing.error,
    });
    expect(failing.begun).toBeGreaterThan(0);
    expect(failing.ended).toBe(failing.begun);
    expect(await leases()).toBe(0);
  });

  test('for a moment → start waits, and one worker has a lease', async () => {
    Object.assign(failing, { part, times: 1, error: new PostriderError('STORE_UNAVAILABLE', 'away') });
    const worker = aWorker();
    await worker.start();
    expect(worker.state()).toMatchObject({ up: true });
    expect(await leases()).toBe(1);
    await worker.stop({ deadlineMs: 0 });
    expect(failing.ended).toBe(failing.begun);
    expect(await leases()).toBe(0);
  });
});

const sqlFault = (code: string, message: string) =>
  new PostriderError('STORE_FAILED', 'The database refused a statement.', {
    cause: Object.assign(new Error(message), { code }),
  });
const coded = (code: string) => Object.assign(new Error('no'), { code });

describe('an error at start', () => {
  test.each<[string, unknown, string]>([
    ['a fault of the code', new TypeError('x is undefined'), 'START_FAILED'],
    ['no error at all', 'just a text', 'START_FAILED'],
    ['a file that may not be read', coded('EACCES'), 'START_FAILED'],
    [
      'a file of the package that is gone',
      Object.assign(coded('ENOENT'), { syscall: 'scandir' }),
      'START_FAILED',
    ],
    ['a damaged store', new PostriderError('STORE_UNREADABLE', 'damaged'), 'STORE_UNREADABLE'],
    ['a statement that is wrong', sqlFault('42601', 'syntax error'), 'STORE_FAILED'],
    ['a pooler that knows no such tenant', sqlFault('XX000', 'Tenant or user not found'), 'STORE_FAILED'],
  ])('%s → start rejects with a code and the cause', async (_, error, code) => {
    await expect(aWorker(() => Promise.reject(error)).start()).rejects.toMatchObject(
      code === 'START_FAILED' ? { code, cause: error } : { code },
    );
  });

  test.each<[string, unknown]>([
    ['the database is away', new PostriderError('STORE_UNAVAILABLE', 'away')],
    ['a collision while the schema is made', sqlFault('23505', 'duplicate key in pg_namespace')],
    ['a collision in the catalogue', sqlFault('XX000', 'tuple concurrently updated')],
    ['no more files', coded('EMFILE')],
    ['a full disk', coded('ENOSPC')],
    ['a time limit', new DOMException('too late', 'TimeoutError')],
  ])('%s, twice → start waits until it has passed', async (_, error) => {
    let tries = 0;
    const worker = aWorker(async () => {
      tries += 1;
      if (tries <= 2) throw error;
      return database;
    });
    await worker.start();
    expect(tries).toBe(3);
    expect(worker.state()).toMatchObject({ up: true });
  });

  test('a broker is away → start resolves, the worker is not up, and is once the broker is there', async () => {
    let isAway = true;
    const worker = aWorker(async () => {
      if (isAway) throw coded('ECONNREFUSED');
      return database;
    });
    await worker.start();
    expect(worker.state()).toMatchObject({ up: false });
    isAway = false;
    await waitFor(() => worker.state()?.up === true, { timeoutMs: 10_000, what: 'the worker to begin' });
  });

  test('stopped while it begins → start resolves, whatever the error', async () => {
    const worker = aWorker(async () => {
      const stopped = worker.stop();
      await Promise.resolve();
      void stopped;
      throw new PostriderError('STOPPED', 'Postrider has been stopped.');
    });
    await worker.start();
    expect(worker.state()).toMatchObject({ up: false, message: 'stopped' });
  });
});
