import type { Config } from './config.js';
import {
  createBellEngine,
  createPostgresEngine,
  createRabbitBroker,
  type Engine,
  type EngineMetrics,
  type ReceiveForeign,
  type RouteGate,
} from './dispatch/index.js';
import { type Clock, type Logger, PostriderError, type Randomness } from './kernel/index.js';
import type { Pauses } from './outbox/index.js';
import type { Database } from './store/index.js';

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
  const engine = createEngine(config, ground);
  await engine.start();
  ground.metrics.engineUp(engine.name, engine.state().up);
  return engine;
}

function createEngine(config: Config, ground: EngineGround & { receiveForeign: ReceiveForeign }): Engine {
  const { pollIntervalMs } = config.worker;
  const { name, window, prefetch } = config.engine;
  if (name === 'postgres') return createPostgresEngine({ ...ground, pollIntervalMs });
  if (ground.database.kind === 'pglite')
    throw refused(name, 'needs PostgreSQL: the embedded store has one process');
  const { url, hosts, queueType } = config.rabbitmq;
  if (url === null) throw refused(name, 'needs RABBITMQ_URL');
  const { receiveForeign, clock, logger } = ground;
  const broker = createRabbitBroker({
    ...{ url, hosts: hosts ?? [], queueType, prefetch },
    ...{ receiveForeign, clock, logger },
  });
  return createBellEngine({ ...ground, broker, window, pollIntervalMs });
}

function refused(name: string, what: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `The engine ${name} ${what}.`, { field: 'POSTRIDER_ENGINE' });
}
