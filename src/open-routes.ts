import type { Config } from './config.js';
import type { RouteGate } from './dispatch/index.js';
import type { Clock, Logger, Randomness } from './kernel/index.js';
import { createRouteRates, createRouteStates } from './outbox/index.js';
import { type PipelineMetrics, SlotShares } from './pipeline/index.js';
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
export async function openRoutes(options: RoutesGround, database: Database): Promise<RouteBoard> {
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
      options.routes.routes.map(({ name, provider, ratePerSecond, companies, types }) => ({
        name,
        provider: provider.name,
        ratePerSecond: ratePerSecond ?? null,
        companies: companies ?? null,
        types: types ?? null,
      })),
    );
    await board.start();
  } catch (error) {
    await board.stop();
    throw error;
  }
  return board;
}

/** What of a route may be claimed: as much as can be sent now, and no more than its share of the worker. */
export function shareRoutes(
  { config, clock }: Pick<RoutesGround, 'config' | 'clock'>,
  board: RouteBoard,
): { shares: SlotShares; gate: Omit<RouteGate, 'names'> } {
  const shares = new SlotShares({
    concurrency: config.worker.concurrency,
    contentBytes: config.worker.inFlightBytes,
    clock,
    connections: board.connections,
  });
  const gate: Omit<RouteGate, 'names'> = {
    async room(route, limit, paused) {
      const most = shares.room(route, limit);
      return most === 0 ? 0 : board.room(route, most, paused);
    },
    fullTenants: (route) => shares.fullTenants(route),
    took: board.took,
    onRoom(fn) {
      board.onRoom(fn);
      shares.onRoom(fn);
    },
  };
  return { shares, gate };
}

export function routeNames({ routes }: RouteTable): string[] {
  return routes.map((route) => route.name);
}
