import { hostname } from 'node:os';
import { createSuppressedFinder } from './assemble-suppression.js';
import type { Config } from './config.js';
import { createPostgresEngine, type Engine } from './dispatch/index.js';
import { forgetOldDeliveries } from './events/index.js';
import {
  type Clock,
  delay,
  type Lifecycle,
  type Logger,
  type Mailbox,
  messageOf,
  type Randomness,
  type StopOptions,
} from './kernel/index.js';
import {
  createLedger,
  createPauseReader,
  createPruner,
  createRouteNames,
  createRouteRates,
  createRouteStates,
  createSweeper,
  createTallier,
  findDeadWorkers,
  findEarlierWorkers,
  hasHeld,
  msUntilPredecessorDead,
  takeLease,
  takeOverWorker,
  type WorkerLease,
} from './outbox/index.js';
import { createWorker, type PipelineMetrics } from './pipeline/index.js';
import { findMissingRecipients, forgetOldKeys, forgetOldSlots } from './policy/index.js';
import { createRouteBoard, type RouteBoard, type RouteTable } from './providers/index.js';
import { forgetOldRuns } from './schedules/index.js';
import type { Database } from './store/index.js';

/**
 * One worker of this process: lease, engine, pipeline, sweeper and pruner, started in that order and
 * stopped in reverse. When its lease is taken over it lets go of everything and begins anew as another
 * worker; while the database is away it tries at most once a second.
 */
export interface RunningWorker extends Lifecycle {
  /** Something was committed in this process. */
  ring(): void;
  /** True while it holds a lease. */
  alive(): boolean;
}

export interface RunWorkerOptions {
  /** Connects when asked; rejects while the store is away. */
  database: () => Promise<Database>;
  config: Config;
  routes: RouteTable;
  sender: Mailbox | null;
  metrics: PipelineMetrics;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

const AWAY_MS = 1000;
const EMBEDDED_BATCH = 50;

export function createRunningWorker(options: RunWorkerOptions): RunningWorker {
  const { logger } = options;
  let stopping: AbortController | null = null;
  let current: Generation | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopOptions: StopOptions | undefined;

  async function live(signal: AbortSignal, onFirst: () => void): Promise<void> {
    while (!signal.aborted) {
      try {
        current = await begin(options, signal);
        onFirst();
        await current.over;
      } catch (error) {
        onFirst();
        if (!signal.aborted) logger.warn({ err: messageOf(error) }, 'worker could not begin');
        await delay(AWAY_MS * (1 + options.random() * 0.5), signal);
      } finally {
        const ended = current;
        current = null;
        await ended?.end(signal.aborted ? stopOptions : { deadlineMs: 0 });
      }
    }
  }

  return {
    /** Returns when the worker runs, or when the database turned out to be away: then it goes on trying. */
    start() {
      if (stopping) return Promise.resolve();
      stopping = new AbortController();
      const { signal } = stopping;
      return new Promise((resolve) => {
        running = live(signal, resolve);
      });
    },
    async stop(stop) {
      stopOptions = stop;
      stopping?.abort();
      await running;
    },
    ring: () => current?.engine.ring(),
    alive: () => current !== null,
  };
}

interface Generation {
  engine: Engine;
  /** Resolves when the lease is lost or the worker is asked to stop. */
  over: Promise<void>;
  end(options?: StopOptions): Promise<void>;
}

async function begin(options: RunWorkerOptions, signal: AbortSignal): Promise<Generation> {
  const { config, clock, random, logger } = options;
  const database = await options.database();
  let finish: () => void = () => {};
  const over = new Promise<void>((resolve) => {
    finish = resolve;
    // An abort that came before this line rings nobody.
    if (signal.aborted) resolve();
    signal.addEventListener('abort', finish, { once: true });
  });
  over.then(() => signal.removeEventListener('abort', finish));
  const embedded = database.kind === 'pglite';
  const pauses = createPauseReader(database, clock);
  let engine: Engine | null = null;
  const lease = await takeLease({
    database,
    instance: config.instance.name,
    host: hostname(),
    pid: process.pid,
    clock,
    random,
    logger,
    onBell: () => engine?.ring(),
    onLost: () => finish(),
  }).catch((error: unknown) => {
    finish();
    throw error;
  });
  const board = await takeBackOwn(options, database, lease)
    .then(() => openRoutes(options, database, lease))
    .catch(async (error: unknown) => {
      finish();
      await lease.end();
      throw error;
    });
  const worker = () => lease.worker;
  const ready = createPostgresEngine({
    database,
    worker,
    routes: {
      names: createRouteNames(database, { configured: routeNames(options.routes), clock }),
      room: board.room,
      took: board.took,
      onRoom: board.onRoom,
    },
    pollIntervalMs: config.worker.pollIntervalMs,
    pauses,
  });
  engine = ready;
  const pipeline = createWorker({
    ...config.worker,
    maxAttempts: config.retry.maxAttempts,
    batchSize: embedded ? Math.min(EMBEDDED_BATCH, config.worker.batchSize) : config.worker.batchSize,
    source: ready,
    ledger: createLedger(database, { worker, pauses }),
    lease,
    routes: board,
    sender: options.sender,
    region: config.database.region,
    staging: config.email,
    findMissingRecipients: async (emails) => {
      const refs = emails.flatMap(({ id, recipientId, recipientExternalId: externalId, tenant, to }) =>
        recipientId || externalId ? [{ id, recipientId, externalId, tenant, email: to }] : [],
      );
      const missing = refs.length > 0 ? await findMissingRecipients(database, refs) : [];
      return new Set(missing.map((ref) => ref.id));
    },
    findSuppressed: createSuppressedFinder(config, { database, clock }),
    clock,
    random,
    logger,
    metrics: options.metrics,
  });
  const sweeper = createSweeper({ database, worker, embedded, logger, random, onReady: () => ready.ring() });
  const pruner = createPruner({
    database,
    retention: config.retention,
    logger,
    also: async () => {
      await forgetOldKeys(database);
      await forgetOldSlots(database);
      await forgetOldRuns(database);
      await forgetOldDeliveries(database, config.webhooks.keepDays);
    },
  });
  const tallier = createTallier({ database, logger });
  await ready.start();
  await pipeline.start();
  await sweeper.start();
  await pruner.start();
  await tallier.start();
  logger.info(
    { worker: lease.worker, store: database.kind, routes: routeNames(options.routes) },
    'worker started',
  );
  return {
    engine: ready,
    over,
    async end(stop) {
      await ready.stop();
      await pipeline.stop(stop);
      await board.stop();
      await sweeper.stop();
      await pruner.stop();
      await tallier.stop();
      await lease
        .end()
        .catch((error: unknown) => logger.warn({ err: messageOf(error) }, 'lease could not be ended'));
      logger.info({ worker: lease.worker }, 'worker stopped');
    },
  };
}

/** What this process knows of its routes, begun from what all know. */
async function openRoutes(
  options: RunWorkerOptions,
  database: Database,
  lease: WorkerLease,
): Promise<RouteBoard> {
  const { clock, random, logger, metrics } = options;
  const circuits = createRouteStates(database);
  const board = createRouteBoard({
    table: options.routes,
    circuits,
    rates: createRouteRates(database),
    concurrency: options.config.worker.concurrency,
    clock,
    random,
    logger,
    metrics,
  });
  try {
    await circuits.register(
      options.routes.routes.map(({ name, provider, ratePerSecond }) => ({
        name,
        provider: provider.name,
        ratePerSecond: ratePerSecond ?? null,
      })),
    );
    await board.start();
  } catch (error) {
    await lease.end();
    throw error;
  }
  return board;
}

function routeNames({ routes }: RouteTable): string[] {
  return routes.map((route) => route.name);
}

/** Before the first claim: rows of the process this one replaces, and of everyone else who is dead. */
async function takeBackOwn(options: RunWorkerOptions, database: Database, lease: WorkerLease): Promise<void> {
  const { logger } = options;
  if (!lease.embedded) {
    await delay(await msUntilPredecessorDead(database, lease.worker, options.config.instance.name));
  }
  const dead = lease.embedded
    ? await findEarlierWorkers(database, lease.worker)
    : await findDeadWorkers(database, lease.worker);
  for (const worker of dead) {
    const taken = await takeOverWorker(database, worker);
    if (taken) logger[hasHeld(taken) ? 'warn' : 'info']({ ...taken }, 'took over from a dead worker');
  }
}
