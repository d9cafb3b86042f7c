import { afterAll, beforeAll } from 'vitest';
import { createAlerts } from '../../src/alerts/index.js';
import { loadConfig } from '../../src/config.js';
import { createPostgresEngine } from '../../src/dispatch/index.js';
import { startHttpServer } from '../../src/doors/http/index.js';
import { type Lifecycle, silentLogger, systemClock } from '../../src/kernel/index.js';
import {
  createLedger,
  createPruner,
  createRouteRates,
  createRouteStates,
  createSweeper,
  WorkerWatch,
} from '../../src/outbox/index.js';
import { createPipelineMetrics, createWorker } from '../../src/pipeline/index.js';
import { createPostrider } from '../../src/postrider.js';
import { createConsoleProvider, createRouteBoard, createRouteTable } from '../../src/providers/index.js';
import { createRunningWorker } from '../../src/run-worker.js';
import { defineSchedule } from '../../src/schedules/index.js';
import { createScheduler, databaseNow } from '../../src/schedules/scheduler.js';
import { type Database, migrate, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, freePort, type TestDatabase, waitFor } from '../services/index.js';
import { type LifecycleUnderTest, lifecycleContract } from './lifecycle.contract.js';

/** Everything long-lived against the one contract. */
let server: TestDatabase;
let database: Database;
beforeAll(async () => {
  server = await createTestDatabase();
  database = await openDatabase(server.url);
  await migrate(database);
});
afterAll(async () => {
  await database.close();
  await server.drop();
});

const settle = (condition: () => boolean | Promise<boolean>) =>
  waitFor(condition, { timeoutMs: 5000, what: 'it to be at work' });
const provider = createConsoleProvider({ logger: silentLogger });
const sender = { address: 'noreply@example.com' };
const ground = { clock: systemClock, random: () => 0.5, logger: silentLogger };
const pauses = async () => ({
  all: false,
  events: false,
  tenants: [],
  types: new Set<string>(),
  routes: new Set<string>(),
});

/** Counts statements of a kind, so that "at work" is seen and not claimed. */
function watched(pattern: RegExp): { database: Database; asked(): number } {
  let asked = 0;
  return {
    asked: () => asked,
    database: {
      ...database,
      query: (statement, values) => {
        if (pattern.test(typeof statement === 'string' ? statement : statement.text)) asked += 1;
        return database.query(statement, values);
      },
    },
  };
}

/** At work while `asked` goes on growing. */
function growing(subject: Lifecycle, asked: () => number): LifecycleUnderTest {
  let running = 0;
  const start = subject.start.bind(subject);
  return {
    subject: { start, stop: (options) => subject.stop(options) },
    begun: () => running,
    async atWork() {
      const before = asked();
      const grew = await waitFor(() => asked() > before, { timeoutMs: 1500, what: 'more' }).catch(
        () => false,
      );
      if (grew) running = Math.max(running, 1);
      return Boolean(grew);
    },
  };
}

lifecycleContract(
  'sweeper',
  async () => {
    const { database: seen, asked } = watched(/expires_at <= clock_timestamp/);
    return growing(
      createSweeper({
        database: seen,
        watch: new WorkerWatch({ database: seen, self: () => 0, ...ground }),
        ringAgainMs: 30_000,
        onReady() {},
        onGivenUp() {},
        ...ground,
      }),
      asked,
    );
  },
  settle,
);

lifecycleContract(
  'scheduler',
  async () => {
    const { database: seen, asked } = watched(/update postrider\.schedule_runs r\s+set resume_at/);
    const subject = createScheduler({
      isHeld: async () => false,
      database: async () => seen,
      schedules: [
        defineSchedule({ name: 'idle', cron: null, campaign: { audience: {}, email: () => null } }),
      ],
      defaultZone: 'UTC',
      acceptEach: async () => [],
      rendered: async (email) => email,
      now: databaseNow,
      ...ground,
    });
    return growing(subject, asked);
  },
  settle,
);

lifecycleContract(
  'pruner',
  async () => {
    let rounds = 0;
    let waiting = 0;
    const subject = createPruner({
      database,
      retention: { contentDays: 30, logDays: 90 },
      logger: silentLogger,
      also: async () => {
        rounds += 1;
        waiting = 1;
      },
    });
    return {
      subject: {
        start: () => subject.start(),
        stop: async (options) => {
          await subject.stop(options);
          waiting = 0;
        },
      },
      begun: () => rounds,
      atWork: () => waiting === 1,
    };
  },
  settle,
);

lifecycleContract(
  'pipeline worker',
  async () => {
    let claims = 0;
    const subject = createWorker({
      ...loadConfig({ env: {}, file: null }).worker,
      maxAttempts: null,
      ...ground,
      source: {
        claim: async () => {
          claims += 1;
          return [];
        },
        claimSuspects: async () => [],
        onWork: (wake) => void setInterval(wake, 20).unref(),
      },
      ledger: createLedger(database, { worker: () => 0, pauses }),
      lease: { mayDeliver: () => true },
      routes: createRouteBoard({
        table: createRouteTable([{ name: 'default', provider }]),
        circuits: createRouteStates(database),
        rates: createRouteRates(database),
        concurrency: 1,
        metrics: createPipelineMetrics(),
        ...ground,
      }),
      sender,
      region: null,
      staging: { redirectAllTo: null, allowedDomains: null },
      completeFromSql: () => {},
      findMissingRecipients: async () => new Set(),
      findSuppressed: async () => new Map(),
      metrics: createPipelineMetrics(),
    });
    return growing(subject, () => claims);
  },
  settle,
);

lifecycleContract(
  'postgres engine',
  async () => {
    let wakes = 0;
    const subject = createPostgresEngine({
      database,
      worker: () => 0,
      routes: { names: async () => ['default'], room: async (_, limit) => limit, took() {}, onRoom() {} },
      pollIntervalMs: 50,
      pauses,
      clock: systemClock,
      logger: silentLogger,
    });
    subject.onWork(() => {
      wakes += 1;
    });
    return growing(subject, () => wakes);
  },
  settle,
);

/** Workers that hold a lease right now, by name. */
async function leases(instance: string): Promise<{ alive: number; ever: number }> {
  const { rows } = await database.query<{ alive: number; ever: number }>(
    `select count(*) filter (where ended_at is null)::int as alive, count(*)::int as ever
     from postrider.workers where instance = $1`,
    [instance],
  );
  return rows[0]!;
}

let names = 0;

lifecycleContract(
  'running worker',
  async () => {
    names += 1;
    const instance = `running-${names}`;
    let ever = 0;
    const subject = createRunningWorker({
      database: async () => database,
      config: loadConfig({ env: {}, file: null, overrides: { instance: { name: instance } } }),
      routes: createRouteTable([{ name: 'default', provider }]),
      sender,
      unsubscribeUrl: null,
      metrics: createPipelineMetrics(),
      onOwed: () => {},
      onOwedForAnother: () => {},
      receiveForeign: async () => ({ kind: 'done' }),
      ...ground,
    });
    return {
      subject,
      begun: () => ever,
      async atWork() {
        const seen = await leases(instance);
        ever = seen.ever;
        return seen.alive > 0;
      },
    };
  },
  settle,
);

lifecycleContract(
  'postrider',
  async () => {
    names += 1;
    const instance = `whole-${names}`;
    let ever = 0;
    const subject = createPostrider({
      database: server.url,
      provider,
      from: sender,
      logger: silentLogger,
      config: { instance: { name: instance } },
    });
    return {
      subject,
      begun: () => ever,
      async atWork() {
        const seen = await leases(instance);
        ever = seen.ever;
        return seen.alive > 0;
      },
    };
  },
  settle,
);

lifecycleContract(
  'http server',
  async () => {
    const port = await freePort();
    let listening: ReturnType<typeof startHttpServer> | null = null;
    let begun = 0;
    return {
      // A server is started by the call that makes it; this is how app.ts holds one.
      subject: {
        async start() {
          listening ??= startHttpServer({
            app: { fetch: () => new Response('ok') },
            host: '127.0.0.1',
            port,
          });
          await listening;
          begun = 1;
        },
        async stop(options) {
          await (await listening)?.stop(options);
        },
      },
      begun: () => begun,
      atWork: () =>
        fetch(`http://127.0.0.1:${port}/`).then(
          (answer) => answer.ok,
          () => false,
        ),
    };
  },
  settle,
);

lifecycleContract(
  'alerts',
  async () => {
    let asked = 0;
    const subject = createAlerts({
      settings: { ...loadConfig({ env: {}, file: null }).alerts, intervalMs: 100 },
      database: async () => database,
      facts() {
        asked += 1;
        return { worker: null, engine: null, bus: null, accepting: null, missedSchedules: async () => [] };
      },
      request: async () => ({ error: null, retryAfterMs: null }),
      sign: () => ({}),
      sendEmail: async () => {},
      dashboardUrl: null,
      keepDays: 90,
      ...ground,
    });
    return growing(subject, () => asked);
  },
  settle,
);
