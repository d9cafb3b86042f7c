import type { Config } from './config.js';
import {
  createBellEngine,
  createBullmqBroker,
  createPostgresEngine,
  createRabbitBroker,
  type Engine,
  type EngineMetrics,
  examineRabbit,
  examineRedis,
  type ReceiveForeign,
  type RouteGate,
} from './dispatch/index.js';
import { type Clock, type Logger, PostriderError, type Randomness } from './kernel/index.js';
import type { Pauses } from './outbox/index.js';
import { decideRetry, RETRY_PRESETS } from './policy/index.js';
import { type Database, readStoreId } from './store/index.js';

/** The engine the configuration names, started. The embedded store has one process and needs no broker. */
export interface EngineGround {
  database: Database;
  worker: () => number;
  routes: RouteGate;
  pauses: () => Promise<Pauses>;
  metrics: EngineMetrics;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

export async function assembleEngine(
  config: Config,
  ground: EngineGround & { receiveForeign: ReceiveForeign },
): Promise<Engine> {
  const store = config.engine.name === 'postgres' ? '' : await readStoreId(ground.database);
  const engine = createEngine(config, { ...ground, store });
  try {
    await engine.start();
  } catch (error) {
    await engine.stop({ deadlineMs: 0 });
    throw error;
  }
  ground.metrics.engineUp(engine.name, engine.state().up);
  return engine;
}

interface BrokerGround extends EngineGround {
  receiveForeign: ReceiveForeign;
  /** The store's id. */
  store: string;
}

function createEngine(config: Config, ground: BrokerGround): Engine {
  const { pollIntervalMs } = config.worker;
  const { name, window } = config.engine;
  if (name === 'postgres') return createPostgresEngine({ ...ground, pollIntervalMs });
  if (ground.database.kind === 'pglite')
    throw refused(name, 'needs PostgreSQL: the embedded store has one process');
  const common = { ...ground, window, pollIntervalMs };
  return name === 'bullmq'
    ? createBellEngine({ ...common, broker: bullmqBroker(config, ground) })
    : createBellEngine({ ...common, broker: rabbitBroker(config, ground) });
}

/** What `postrider doctor` says of the engine; throws what is wrong with it. */
export async function examineEngine({ engine, redis, rabbitmq }: Config): Promise<string> {
  switch (engine.name) {
    case 'postgres':
      return 'postgres: claims straight from the store';
    case 'bullmq':
      return `bullmq: ${await examineRedis(redis.url)}`;
    case 'rabbitmq':
      return `rabbitmq: ${await examineRabbit({ url: rabbitmq.url ?? '', hosts: rabbitmq.hosts ?? [] })}`;
  }
}

function rabbitBroker({ rabbitmq, engine }: Config, { receiveForeign, store, clock, logger }: BrokerGround) {
  const { url, hosts, queueType } = rabbitmq;
  if (url === null) throw refused(engine.name, 'needs RABBITMQ_URL');
  return createRabbitBroker({
    ...{ url, hosts: hosts ?? [], queueType, prefetch: engine.prefetch },
    ...{ store, receiveForeign, clock, logger },
  });
}

function bullmqBroker({ redis, engine }: Config, { store, random, logger }: BrokerGround) {
  return createBullmqBroker({
    ...{ ...redis, prefetch: engine.prefetch, store, logger },
    gatewayWaitMs: (attempt) =>
      decideRetry({
        ...{ preset: RETRY_PRESETS.gateway, attempt, maxAttempts: Number.POSITIVE_INFINITY },
        ...{ unclassified: false, askedMs: 0, random },
      }) ?? 0,
  });
}

function refused(name: string, what: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `The engine ${name} ${what}.`, { field: 'POSTRIDER_ENGINE' });
}
