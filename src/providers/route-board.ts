import {
  type Clock,
  delay,
  type Lifecycle,
  type Logger,
  messageOf,
  type Randomness,
} from '../kernel/index.js';
import type { RoutedEmail, RouteTable } from './choose-route.js';
import type { Outcome } from './provider.js';
import type { RateStore } from './rate-lease.js';
import type { Route } from './route.js';
import type { SharedCircuit } from './route-circuit.js';
import { type CircuitStore, RouteLane } from './route-lane.js';
import { readSendQuota } from './send-quota.js';

/**
 * All routes of this process: how many emails of each may be claimed now, and the way of one email
 * through its candidates. What other processes found out about a route is known within a quarter of
 * a second.
 */
export interface RouteBoard extends Lifecycle {
  /** How many emails written for this route may be claimed; 0 while no candidate would take them. */
  room(name: string, limit: number, paused: ReadonlySet<string>): Promise<number>;
  /** How many emails written for this route can be under way at once; without bound where its provider does not say. */
  connections(name: string): number;
  /** How many emails written for this route would have a connection at once if they came now. */
  servedAtOnce(name: string): number;
  /** So many of them were claimed. */
  took(name: string, count: number): void;
  candidates(name: string, email: RoutedEmail): RouteLane[];
  /** Called when claiming may succeed again. */
  onRoom(fn: () => void): void;
}

export interface RouteBoardOptions {
  table: RouteTable;
  circuits: CircuitStore;
  rates: RateStore;
  concurrency: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: RouteMetrics;
}

export interface RouteMetrics {
  routeCircuit(route: string, state: SharedCircuit['state']): void;
  routeAttempt(route: string, outcome: Outcome['kind']): void;
}

export function createRouteBoard(options: RouteBoardOptions): RouteBoard {
  const { table, clock, logger } = options;
  let wake: () => void = () => {};
  const alarm = createAlarm(clock, () => wake());
  const lanes = new Map<Route, RouteLane>(
    table.routes.map((route) => [route, new RouteLane(route, { ...options, wake: () => wake() })]),
  );
  /** The lane whose room was given for a name. */
  const given = new Map<string, RouteLane>();
  let looked: { at: number; reading: Promise<void> } | null = null;
  let quotas: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    const shared = await options.circuits.read();
    for (const lane of lanes.values()) {
      const circuit = shared.get(lane.route.name);
      if (circuit) lane.circuit.observe(circuit);
      options.metrics.routeCircuit(lane.route.name, lane.circuit.seen.state);
    }
  }

  function look(): Promise<void> {
    const now = clock.monotonic();
    if (!looked || now - looked.at > FRESH_MS) {
      const reading = read();
      looked = { at: now, reading };
      reading.catch(() => {
        looked = null;
      });
    }
    return looked.reading;
  }

  async function readQuotas(): Promise<void> {
    for (const lane of lanes.values()) {
      try {
        const quota = await readSendQuota(lane.route.provider);
        if (quota?.perSecond) lane.limitRate(quota.perSecond);
        if (quota?.spent) lane.hold(QUOTA_LOOK_MS, 'DAILY_QUOTA_SPENT');
      } catch (error) {
        logger.warn({ route: lane.route.name, err: messageOf(error) }, 'send quota could not be read');
      }
    }
  }

  return {
    async start() {
      await read();
      // A provider that does not answer must not keep the others from starting.
      await Promise.race([readQuotas(), delay(QUOTA_WAIT_MS)]);
      quotas ??= setInterval(() => void readQuotas(), QUOTA_LOOK_MS).unref();
    },
    async stop() {
      clearInterval(quotas);
      alarm.stop();
      await Promise.all([...lanes.values()].map((lane) => lane.drain()));
    },
    async room(name, limit, paused) {
      await look();
      let againMs = Number.POSITIVE_INFINITY;
      for (const route of table.stand(name)) {
        if (paused.has(route.name)) continue;
        const lane = lanes.get(route)!;
        const room = await lane.room(limit);
        againMs = Math.min(againMs, room.againMs);
        // Only a circuit sends emails elsewhere; a rate or a full house is waited for.
        if (room.count === 0 && lane.circuit.admission().kind !== 'free') continue;
        if (room.count < limit) alarm.setWithin(againMs);
        given.set(name, lane);
        return room.count;
      }
      alarm.setWithin(againMs);
      return 0;
    },
    connections: (name) => table.stand(name)[0]?.provider.connections ?? Number.POSITIVE_INFINITY,
    servedAtOnce(name) {
      const [first] = table.stand(name);
      return first ? lanes.get(first)!.servedAtOnce() : 0;
    },
    took: (name, count) => given.get(name)?.took(count),
    candidates: (name, email) =>
      table.candidates(name, email, options.random).map((route) => lanes.get(route)!),
    onRoom(fn) {
      wake = fn;
    },
  };
}

const FRESH_MS = 250;
const QUOTA_LOOK_MS = 300_000;
const QUOTA_WAIT_MS = 2000;

/** Rings once at the earliest of the times it was asked for. */
function createAlarm(clock: Clock, ring: () => void) {
  let timer: NodeJS.Timeout | undefined;
  let at = Number.POSITIVE_INFINITY;
  return {
    setWithin(ms: number): void {
      const due = clock.monotonic() + ms;
      if (!Number.isFinite(ms) || due >= at) return;
      clearTimeout(timer);
      at = due;
      timer = setTimeout(
        () => {
          at = Number.POSITIVE_INFINITY;
          ring();
        },
        Math.max(1, ms),
      );
    },
    stop: () => clearTimeout(timer),
  };
}
