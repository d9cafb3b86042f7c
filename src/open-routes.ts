import type { Config } from './config.js';
import type { Clock, Logger, Randomness } from './kernel/index.js';
import { createRouteRates, createRouteStates, type WorkerLease } from './outbox/index.js';
import type { PipelineMetrics } from './pipeline/index.js';
import { createRouteBoard, type RouteBoard, type RouteTable } from './providers/index.js';
import type { Database } from './store/index.js';

export interface RoutesGround {
  config: Config;
  routes: RouteTable;
  metrics: PipelineMetrics;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

/** What this process knows of its routes, begun from what all know. */
export async function openRoutes(
  options: RoutesGround,
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

export function routeNames({ routes }: RouteTable): string[] {
  return routes.map((route) => route.name);
}
