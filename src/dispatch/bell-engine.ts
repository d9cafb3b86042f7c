import { type Clock, killPoint, type Logger, messageOf, type Randomness } from '../kernel/index.js';
import {
  type Claim,
  type ClaimedBells,
  claimRung,
  claimSuspects,
  findUnknown,
  forgetBells,
  type Pauses,
  takeBackBells,
} from '../outbox/index.js';
import type { Database } from '../store/index.js';
import type { BellBroker, BellEnd, HeardBell } from './bell-broker.js';
import { createBellRelay } from './bell-relay.js';
import type { Engine, EngineMetrics, RouteGate } from './engine.js';
import { createWaitWindow } from './wait-window.js';

/**
 * The engine over a broker. The relay rings for what is ready; bells that come back are gathered and claimed
 * in one statement each few milliseconds, and acknowledged once the ledger knows what became of their emails.
 * A bell that matches no row is acknowledged and dropped. A broker that is away stops no worker and loses
 * nothing: the sweeper makes rows ready whose bell was out too long.
 */
export interface BellEngineOptions<Bell extends HeardBell> {
  database: Database;
  broker: BellBroker<Bell>;
  worker: () => number;
  routes: RouteGate;
  pauses: () => Promise<Pauses>;
  window: number;
  pollIntervalMs: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: EngineMetrics;
}

const ECHO_MS = 25;
const LATER_MS = 5;
/** One at a time bells cost a statement each; so long and so many are gathered. */
const GATHER_MS = 3;
const GATHER_AT = 50;
const QUIET_MS = 1000;

export function createBellEngine<Bell extends HeardBell>(options: BellEngineOptions<Bell>): Engine {
  const { database, broker, routes, logger, metrics } = options;
  const relay = createBellRelay(options);
  const waits = createWaitWindow(options.window, options.clock);
  /** Heard and not claimed. */
  const heard: Bell[] = [];
  /** Claimed and not settled. */
  const held = new Map<string, Bell>();
  const ending = new Set<Promise<void>>();
  let wake: () => void = () => {};
  let gather: NodeJS.Timeout | undefined;
  let echo: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let warnedAt = Number.NEGATIVE_INFINITY;
  let started: Promise<void> | null = null;
  let quiet: Promise<void> | null = null;
  let stopped: Promise<void> | null = null;

  function onBell(bell: Bell): void {
    if (quiet) {
      putBack([bell]);
      return;
    }
    heard.push(bell);
    if (heard.length >= GATHER_AT) wake();
    else
      gather ??= setTimeout(() => {
        gather = undefined;
        wake();
      }, GATHER_MS);
  }

  /** Ends bells behind the back of who works; their order per email does not matter, since the ledger decides. */
  function end(ends: ReadonlyArray<BellEnd<Bell>>): void {
    if (ends.length === 0) return;
    const work = finish(ends)
      .catch((error: unknown) => warn(error, 'bells could not be ended; they come again'))
      .finally(() => ending.delete(work));
    ending.add(work);
  }

  async function finish(ends: ReadonlyArray<BellEnd<Bell>>): Promise<void> {
    killPoint('bells:settled');
    try {
      await broker.ended(ends);
    } catch (error) {
      // Whose wait the broker did not take waits in the ledger.
      await takeBackBells(
        database,
        ends.flatMap(({ settlement }) => (settlement?.rings ? [settlement] : [])),
      );
      throw error;
    }
    killPoint('bells:ended');
  }

  function putBack(bells: readonly Bell[]): void {
    if (bells.length === 0) return;
    const work = takeBackBells(database, bells)
      .then(() => end(bells.map((bell) => ({ bell, settlement: null }))))
      .catch((error: unknown) => warn(error, 'bells could not be put back; they are rung again later'))
      .finally(() => ending.delete(work));
    ending.add(work);
  }

  /** Rung at once instead of when they count as lost. */
  function ringAnew(also: { waits: boolean }): void {
    const work = forgetBells(database, also)
      .then((forgotten) => {
        if (forgotten === 0) return;
        logger.info(
          { engine: broker.name, forgotten },
          'the broker has no bells; those that were out ring again',
        );
        relay.ring();
      })
      .catch((error: unknown) => warn(error, 'lost bells could not be forgotten; they are rung again later'))
      .finally(() => ending.delete(work));
    ending.add(work);
  }

  function warn(error: unknown, message: string): void {
    const now = options.clock.monotonic();
    if (now - warnedAt < QUIET_MS) return;
    warnedAt = now;
    logger.warn({ engine: broker.name, err: messageOf(error) }, message);
  }

  async function claimHeard(bells: readonly Bell[]): Promise<ClaimedBells> {
    const read = await options.pauses();
    const rooms = new Map<string, number>();
    for (const route of await routes.names()) {
      rooms.set(route, read.all ? 0 : await routes.room(route, bells.length, read.routes));
    }
    return claimRung(database, bells, { worker: options.worker(), rooms, pausedTenants: read.tenants });
  }

  function take(bells: readonly Bell[], claims: readonly Claim[]): void {
    const claimed = new Set(claims.map((claim) => claim.id));
    const dropped: Bell[] = [];
    for (const bell of bells) {
      if (!claimed.delete(bell.id)) {
        dropped.push(bell);
        continue;
      }
      // Of a claim that was taken away unnoticed.
      const before = held.get(bell.id);
      if (before) dropped.push(before);
      held.set(bell.id, bell);
    }
    metrics.bells('consumed', claims.length);
    metrics.bells('dropped', dropped.length);
    for (const { route } of claims) routes.took(route, 1);
    if (dropped.length > 0) drop(dropped);
    if (claims.length > 0) relay.ring();
  }

  /** A bell without a token may be anybody's, and of an email that does not exist. */
  function drop(bells: readonly Bell[]): void {
    const work = unknownOf(bells)
      .catch((error: unknown) => {
        warn(error, 'emails of dropped bells could not be looked for');
        return new Set<string>();
      })
      .then((unknown) =>
        end(bells.map((bell) => ({ bell, settlement: null, unknown: unknown.has(bell.id) }))),
      )
      .finally(() => ending.delete(work));
    ending.add(work);
  }

  async function unknownOf(bells: readonly Bell[]): Promise<Set<string>> {
    const anybodys = bells.filter(({ token }) => token === null);
    return anybodys.length > 0 ? findUnknown(database, anybodys) : new Set();
  }

  async function fallSilent(): Promise<void> {
    clearTimeout(gather);
    clearTimeout(echo);
    clearTimeout(later);
    await relay.stop();
    await broker.quiesce().catch((error: unknown) => warn(error, 'the broker could not be left in order'));
    putBack(heard.splice(0));
  }

  async function close(deadlineMs: number): Promise<void> {
    quiet ??= fallSilent();
    await quiet;
    while (ending.size > 0) await Promise.all(ending);
    await broker.stop({ deadlineMs });
    metrics.engineUp(broker.name, false);
  }

  function letGo(ids: readonly string[]): void {
    const ends: Array<BellEnd<Bell>> = [];
    for (const id of ids) {
      const bell = held.get(id);
      if (bell && held.delete(id)) ends.push({ bell, settlement: null });
    }
    end(ends);
  }

  return {
    name: broker.name,
    start() {
      if (stopped) return Promise.resolve();
      started ??= (async () => {
        routes.onRoom(() => {
          relay.ring();
          if (heard.length > 0) wake();
        });
        await broker.start({
          onBell,
          onState: (state) => {
            metrics.engineUp(broker.name, state.up);
            if (state.up) relay.ring();
          },
          onNothingOut: ringAnew,
          onRefused: () => metrics.bells('refused', 1),
        });
        if (!quiet) await relay.start();
      })();
      return started;
    },
    async stop({ deadlineMs = 5000 } = {}) {
      if (!started && !stopped) return;
      stopped ??= close(deadlineMs);
      await stopped;
    },
    quiesce() {
      quiet ??= fallSilent();
      return quiet;
    },
    async claim(limit) {
      if (quiet) return [];
      const bells = heard.splice(0, limit);
      if (bells.length === 0) return [];
      let claimed: ClaimedBells;
      try {
        claimed = await claimHeard(bells);
      } catch (error) {
        if (quiet) putBack(bells);
        else heard.unshift(...bells);
        throw error;
      }
      const { claims, rungAt } = claimed;
      if (rungAt) relay.heard(rungAt);
      take(bells, claims);
      // Nothing of this batch, but there may be more behind it.
      if (claims.length === 0 && heard.length > 0) wake();
      return claims;
    },
    async claimSuspects(limit, beside = 0) {
      const read = await options.pauses();
      if (read.all || quiet) return [];
      for (const route of await routes.names()) {
        const room = await routes.room(route, limit, read.routes);
        if (room === 0) continue;
        const worker = options.worker();
        const claims = await claimSuspects(database, { route, worker, limit: room, beside });
        if (claims.length === 0) continue;
        routes.took(route, claims.length);
        return claims;
      }
      return [];
    },
    onWork(fn) {
      wake = fn;
    },
    ring() {
      relay.ring();
      clearTimeout(echo);
      echo = setTimeout(() => relay.ring(), ECHO_MS);
    },
    ringLater() {
      later ??= setTimeout(() => {
        later = undefined;
        relay.ring();
      }, LATER_MS);
    },
    isBusy: () => quiet !== null || !broker.state().up,
    spendsWait: (id, waitMs) => held.has(id) && broker.spendsWait(waitMs) && waits.take(waitMs),
    settled(settlements) {
      end(
        settlements.map((settlement) => {
          const bell = held.get(settlement.id) ?? null;
          held.delete(settlement.id);
          return { bell, settlement };
        }),
      );
    },
    gaveUp(emails) {
      if (emails.length > 0) broker.gaveUp(emails);
    },
    letGo,
    keepOnly(ids) {
      const kept = new Set(ids);
      letGo([...held.keys()].filter((id) => !kept.has(id)));
    },
    state: () => broker.state(),
  };
}
