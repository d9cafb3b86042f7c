import type { Config } from './config.js';
import { createPostgresEngine, type Engine, type EngineMetrics, type RouteGate } from './dispatch/index.js';
import type { Clock, Logger, Randomness } from './kernel/index.js';
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

export async function assembleEngine(config: Config, ground: EngineGround): Promise<Engine> {
  const { pollIntervalMs } = config.worker;
  const engine = createPostgresEngine({ ...ground, pollIntervalMs });
  await engine.start();
  ground.metrics.engineUp(engine.name, engine.state().up);
  return engine;
}
