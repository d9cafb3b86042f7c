import { hostname } from 'node:os';
import { assembleEngine } from './assemble-engine.js';
import { createSuppressedFinder } from './assemble-suppression.js';
import { createSqlCompletion } from './complete-from-sql.js';
import type { Config } from './config.js';
import { type Engine, type EngineState, type ReceiveForeign, tellEngine } from './dispatch/index.js';
import { forgetOldBusRows, forgetOldDeliveries } from './events/index.js';
import type { UnsubscribeUrl } from './intake/index.js';
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
import { openRoutes, routeNames, shareRoutes } from './open-routes.js';
import {
  createLedger,
  createPauseReader,
  createPruner,
  createRouteNames,
  createSweeper,
  createTallier,
  type GivenUp,
  takeLease,
  type WorkerLease,
  WorkerWatch,
} from './outbox/index.js';
import { createWorker, type PipelineMetrics } from './pipeline/index.js';
import { findMissingRecipients, forgetIdleShares, forgetOldKeys, forgetOldSlots } from './policy/index.js';
import type { RouteTable } from './providers/index.js';
import { ANY_SUPPRESSED, forgetOldDays } from './recipients/index.js';
import { forgetOldMarks, forgetOldRuns } from './schedules/index.js';
import { faultFields, readStartFault } from './start-faults.js';
import type { Database } from './store/index.js';
import { takeBackOwn } from './take-back-own.js';

/**
 * One worker of this process: lease, routes, engine, sweeper, pruner, tallier and pipeline, started in that order and
 * stopped in reverse. When its lease is taken over it lets go of everything and begins anew as another
 * worker; while the database is away it tries at most once a second.
 */
export interface RunningWorker extends Lifecycle {
  /** Something was committed in this process. */
  ring(): void;
  /** Whether it holds a lease, and if not, why; null before it was started. */
  state(): WorkerState | null;
  /** Of its engine; null while it has none. */
  engine(): EngineState | null;
}

export interface WorkerState {
  up: boolean;
  message: string;
}

export interface RunWorkerOptions {
  /** Connects when asked; rejects while the store is away. */
  database: () => Promise<Database>;
  config: Config;
  routes: RouteTable;
  sender: Mailbox | null;
  /** null without an address people can reach. */
  unsubscribeUrl: UnsubscribeUrl | null;
  metrics: PipelineMetrics;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  /** A webhook is owed. */
  onOwed(): void;
  /** A webhook is due, and another worker was woken for it. */
  onOwedForAnother(): void;
  /** What others publish to the broker of the engine. */
  receiveForeign: ReceiveForeign;
}

const AWAY_MS = 1000;
const EMBEDDED_BATCH = 50;

export function createRunningWorker(options: RunWorkerOptions): RunningWorker {
  const { logger } = options;
  let stopping: AbortController | null = null;
  let current: Generation | null = null;
  let running: Promise<void> = Promise.resolve();
  let stopOptions: StopOptions | undefined;
  let failure: string | null = null;

  /** `onFirst` is told once: that it runs, why it never will, or, of a broker, that it is still being tried. */
  async function live(signal: AbortSignal, onFirst: (refusal?: unknown) => void): Promise<void> {
    let first = true;
    while (!signal.aborted) {
      try {
        current = await begin(options, signal);
        first = false;
        failure = null;
        onFirst();
        await current.over;
      } catch (error) {
        failure = messageOf(error);
        const fault = readStartFault(error);
        if (first && !signal.aborted && fault.kind === 'permanent') return onFirst(fault.error);
        if (fault.kind === 'broker-away') {
          onFirst();
          first = false;
        }
        if (!signal.aborted) logger.error(faultFields(error), 'worker could not begin; it is tried again');
        await delay(AWAY_MS * (1 + options.random() * 0.5), signal);
      } finally {
        const ended = current;
        current = null;
        await ended?.end(signal.aborted ? stopOptions : { deadlineMs: 0 });
      }
    }
    onFirst();
  }

  return {
    /**
     * Returns when the worker runs, or is stopped before. A database that is away is waited for; what trying again
     * cannot mend rejects.
     */
    start() {
      if (stopping) return Promise.resolve();
      stopping = new AbortController();
      const { signal } = stopping;
      return new Promise((resolve, reject) => {
        running = live(signal, (refusal) => (refusal === undefined ? resolve() : reject(refusal)));
      });
    },
    async stop(stop) {
      stopOptions = stop;
      stopping?.abort();
      await running;
    },
    ring: () => current?.engine.ring(),
    state() {
      if (!stopping) return null;
      if (current?.lease.held())
        return { up: true, message: `worker ${current.lease.worker} holds its lease` };
      const because = current ? 'its beat does not reach the database' : (failure ?? 'it is beginning');
      return { up: false, message: stopping.signal.aborted ? 'stopped' : `no lease: ${because}` };
    },
    engine: () => current?.engine.state() ?? null,
  };
}

interface Generation {
  lease: WorkerLease;
  engine: Engine;
  /** Resolves when the lease is lost or the worker is asked to stop. */
  over: Promise<void>;
  end(options?: StopOptions): Promise<void>;
}

/** What of a generation was started, to be stopped in reverse, each once, also where another cannot be stopped. */
class StartedParts {
  private readonly parts: Array<{ part: string; stop(options?: StopOptions): Promise<unknown> }> = [];

  constructor(private readonly logger: Logger) {}

  add(part: string, stop: (options?: StopOptions) => Promise<unknown>): void {
    this.parts.push({ part, stop });
  }

  /** Kept before it is started, since a start that fails may have begun something. */
  async start(part: string, lifecycle: Lifecycle): Promise<void> {
    this.add(part, (options) => lifecycle.stop(options));
    await lifecycle.start();
  }

  async stop(options?: StopOptions): Promise<void> {
    for (const { part, stop } of this.parts.splice(0).reverse()) {
      try {
        await stop(options);
      } catch (error) {
        this.logger.warn({ part, err: messageOf(error) }, 'a part of the worker could not be stopped');
      }
    }
  }
}

async function begin(options: RunWorkerOptions, signal: AbortSignal): Promise<Generation> {
  const parts = new StartedParts(options.logger);
  try {
    return await beginWith(parts, options, signal);
  } catch (error) {
    await parts.stop({ deadlineMs: 0 });
    throw error;
  }
}

async function beginWith(
  parts: StartedParts,
  options: RunWorkerOptions,
  signal: AbortSignal,
): Promise<Generation> {
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
  parts.add('signal', async () => finish());
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
    onBellForAnother: () => engine?.ringLater(),
    isBusy: () => engine?.isBusy() ?? true,
    onOwed: options.onOwed,
    onOwedForAnother: options.onOwedForAnother,
    onLost: () => finish(),
  });
  parts.add('lease', () => lease.end());
  const worker = () => lease.worker;
  const watch = embedded ? null : new WorkerWatch({ database, self: worker, clock, logger });
  const givenUp: GivenUp[] = await takeBackOwn(database, {
    worker: lease.worker,
    instance: config.instance.name,
    watch,
    logger,
  });
  const board = await openRoutes(options, database);
  parts.add('routes', () => board.stop());
  const { shares, gate } = shareRoutes(options, board);
  const ready = await assembleEngine(config, {
    database,
    worker,
    routes: {
      names: createRouteNames(database, { configured: routeNames(options.routes), clock }),
      ...gate,
    },
    pauses,
    metrics: options.metrics.engine,
    receiveForeign: options.receiveForeign,
    ...{ clock, random, logger },
  });
  parts.add('engine', (stop) => ready.stop(stop));
  engine = ready;
  ready.gaveUp(givenUp);
  const ledger = createLedger(database, { worker, pauses, anySuppressed: ANY_SUPPRESSED });
  const pipeline = createWorker({
    ...config.worker,
    maxAttempts: config.retry.maxAttempts,
    batchSize: embedded ? Math.min(EMBEDDED_BATCH, config.worker.batchSize) : config.worker.batchSize,
    source: ready,
    ledger: ready.name === 'postgres' ? ledger : tellEngine(ledger, ready),
    lease,
    routes: board,
    shares,
    sender: options.sender,
    region: config.database.region,
    staging: config.email,
    completeFromSql: createSqlCompletion(options.unsubscribeUrl),
    findMissingRecipients: async (emails) => {
      const refs = emails.flatMap(({ id, recipientId, recipientExternalId: externalId, tenant, to }) =>
        recipientId || externalId ? [{ id, recipientId, externalId, tenant, email: to }] : [],
      );
      const missing = refs.length > 0 ? await findMissingRecipients(database, refs) : [];
      return new Set(missing.map((ref) => ref.id));
    },
    findSuppressed: createSuppressedFinder(config, database),
    clock,
    random,
    logger,
    metrics: options.metrics,
  });
  const sweeper = createSweeper({
    ...{ database, watch, logger, random },
    ringAgainMs: config.engine.ringAgainMs,
    onReady: () => ready.ring(),
    onGivenUp: ready.gaveUp,
  });
  const pruner = createPruner({
    database,
    retention: config.retention,
    logger,
    also: async () => {
      await forgetOldKeys(database);
      await forgetOldSlots(database);
      await forgetIdleShares(database);
      await forgetOldRuns(database);
      await forgetOldMarks(database);
      await forgetOldDays(database, config.recipients.activityDays);
      await forgetOldDeliveries(database, config.webhooks.keepDays);
      const untold = await forgetOldBusRows(database, config.bus.keepDays);
      if (untold > 0) logger.warn({ events: untold }, 'events that the bus never took are forgotten');
    },
  });
  const tallier = createTallier({ database, logger });
  await parts.start('sweeper', sweeper);
  await parts.start('pruner', pruner);
  await parts.start('tallier', tallier);
  await parts.start('pipeline', pipeline);
  // First of all nothing more is taken from the engine.
  parts.add('dispatch', () => ready.quiesce());
  logger.info(
    { worker: lease.worker, store: database.kind, engine: ready.name, routes: routeNames(options.routes) },
    'worker started',
  );
  return {
    lease,
    engine: ready,
    over,
    async end(stop) {
      await parts.stop(stop);
      logger.info({ worker: lease.worker }, 'worker stopped');
    },
  };
}
