import {
  type Clock,
  inRounds,
  killPoint,
  type Logger,
  messageOf,
  type Randomness,
  type Rounds,
} from '../kernel/index.js';
import {
  countOutstanding,
  createRinger,
  type OutstandingBells,
  type Pauses,
  type Ringer,
  type RungEmail,
  readJobData,
  takeBackBells,
} from '../outbox/index.js';
import type { Database } from '../store/index.js';
import type { BellBroker } from './bell-broker.js';
import type { EngineMetrics, RouteGate } from './engine.js';

/**
 * Moves committed emails to the broker: takes ready rows in the ledger's fair order, marks them as rung and
 * publishes their bells. Only so many are out at once, fewer when they are heard slowly, so that an urgent
 * email never waits behind a backlog in the broker. Any number of relays may run. It is rung when there may be
 * something to ring, or room to ring it.
 */
export interface BellRelay extends Rounds {
  /** A bell rung then was claimed in this process. */
  heard(rungAt: Date): void;
}

export interface BellRelayOptions {
  database: Database;
  broker: Pick<BellBroker, 'wantsData' | 'publish' | 'state'>;
  worker: () => number;
  routes: Pick<RouteGate, 'names' | 'room' | 'fullTenants'>;
  pauses: () => Promise<Pauses>;
  /** How many bells may be out at once, over all processes. */
  window: number;
  pollIntervalMs: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: EngineMetrics;
}

const BATCH = 500;
const AWAY_MS = 1000;
/** While a window is full only others can make room in it, unheard. */
const FULL_LOOK_MS = 50;
/** Bells that wait longer than this for a worker are too many. */
const SLOW_MS = 1000;
const SLOW_WINDOW = 200;
/** Windows, with those that were lost or are held up: a whole one may be in the hands of a worker that is frozen. */
const MOST_OUT = 2;

export function createBellRelay(options: BellRelayOptions): BellRelay {
  const { database, broker, routes, logger, worker } = options;
  let heardUpTo: Date | null = null;
  let triedAt = Number.NEGATIVE_INFINITY;
  const ringers = new Map<string, Ringer>();
  let firstRoute = 0;

  function ringerOf(route: string): Ringer {
    const known = ringers.get(route) ?? createRinger(database, { route, worker });
    ringers.set(route, known);
    return known;
  }

  /** Returns how long to wait before the next look; a ring ends the wait. */
  async function round(): Promise<number> {
    const read = await options.pauses();
    if (!broker.state().up || read.all) return options.pollIntervalMs;
    const outstanding = await countOutstanding(database, { heardUpTo });
    const { out, ahead } = outstanding;
    options.metrics.bellsOutstanding(out);
    const most = options.window * MOST_OUT;
    let free = Math.min(BATCH, windowOf(outstanding, options.window) - ahead, most - out);
    if (free <= 0 && out < most) free = tryOne();
    if (free <= 0) return FULL_LOOK_MS;
    const names = await routes.names();
    firstRoute = (firstRoute + 1) % names.length;
    const rung: RungEmail[] = [];
    let short = false;
    for (const route of [...names.slice(firstRoute), ...names.slice(0, firstRoute)]) {
      const need = free - rung.length;
      const room = await routes.room(route, need, read.routes);
      short ||= room < need;
      const passed = [...read.tenants, ...(routes.fullTenants?.(route) ?? [])];
      if (room > 0) rung.push(...(await ringerOf(route).ring(room, passed)));
      if (rung.length >= free) break;
    }
    if (rung.length === 0) return options.pollIntervalMs;
    killPoint('relay:rung');
    await publish(rung);
    killPoint('relay:published');
    return short ? FULL_LOOK_MS : 0;
  }

  /**
   * Bells that are heard late are told from those that will not be heard at all by one more: once it is, those before it
   * count no longer.
   */
  function tryOne(): number {
    const now = options.clock.monotonic();
    if (now - triedAt < SLOW_MS) return 0;
    triedAt = now;
    return 1;
  }

  async function publish(rung: readonly RungEmail[]): Promise<void> {
    try {
      const data = broker.wantsData
        ? await readJobData(
            database,
            rung.map(({ id }) => id),
          )
        : null;
      await broker.publish(rung.map((email) => ({ ...email, data: data?.get(email.id) ?? null })));
      options.metrics.bells('published', rung.length);
    } catch (error) {
      await takeBackBells(database, rung);
      throw error;
    }
  }

  const rounds = inRounds({
    round,
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'bells could not be rung');
      return AWAY_MS * (1 + options.random() * 0.5);
    },
  });
  return {
    ...rounds,
    heard(rungAt) {
      if (heardUpTo === null || rungAt > heardUpTo) heardUpTo = rungAt;
    },
  };
}

export function windowOf({ oldestMs }: OutstandingBells, window: number): number {
  return oldestMs > SLOW_MS ? Math.min(SLOW_WINDOW, window) : window;
}
