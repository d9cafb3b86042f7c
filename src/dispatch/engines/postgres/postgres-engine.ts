import {
  type Claim,
  type Claimer,
  claimSuspects,
  createClaimer,
  type Pauses,
} from '../../../outbox/index.js';
import type { Database } from '../../../store/index.js';
import type { Engine, RouteGate } from '../../engine.js';

/**
 * The default engine: claims straight from the ledger, fair between tenants and ordered by priority.
 * Woken by the bell at commit, again 25 ms later for a transaction that was just becoming visible, and
 * by a poll as the floor.
 */
export interface PostgresEngineOptions {
  database: Database;
  worker: () => number;
  routes: RouteGate;
  pollIntervalMs: number;
  pauses: () => Promise<Pauses>;
}

const ECHO_MS = 25;

export function createPostgresEngine(options: PostgresEngineOptions): Engine {
  const { database, routes } = options;
  const claimers = new Map<string, Claimer>();
  let firstRoute = 0;
  let poll: NodeJS.Timeout | undefined;
  let echo: NodeJS.Timeout | undefined;
  let wake: () => void = () => {};
  let quiet = false;

  async function stop(): Promise<void> {
    clearInterval(poll);
    clearTimeout(echo);
    poll = undefined;
  }

  function claimerOf(route: string): Claimer {
    const known = claimers.get(route);
    if (known) return known;
    const made = createClaimer(database, { route, worker: options.worker });
    claimers.set(route, made);
    return made;
  }

  /** Routes take turns at being first, so that a full one does not starve the others. */
  async function inTurn(read: Pauses): Promise<readonly string[]> {
    if (read.all || quiet) return [];
    const names = await routes.names();
    firstRoute = (firstRoute + 1) % names.length;
    return names.length === 1 ? names : [...names.slice(firstRoute), ...names.slice(0, firstRoute)];
  }

  return {
    name: 'postgres',
    async start() {
      poll ??= setInterval(() => wake(), options.pollIntervalMs);
      routes.onRoom(() => wake());
    },
    stop,
    async quiesce() {
      quiet = true;
      await stop();
    },
    async claim(limit) {
      const read = await options.pauses();
      const taken: Claim[] = [];
      for (const route of await inTurn(read)) {
        const room = await routes.room(route, limit - taken.length, read.routes);
        if (room === 0) continue;
        const full = routes.fullTenants?.(route) ?? [];
        const passed = full.length > 0 ? [...read.tenants, ...full] : read.tenants;
        const claims = await claimerOf(route).claim(room, passed);
        routes.took(route, claims.length);
        taken.push(...claims);
        if (taken.length >= limit) break;
      }
      return taken;
    },
    async claimSuspects(limit, beside = 0) {
      const read = await options.pauses();
      for (const route of await inTurn(read)) {
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
      wake();
      clearTimeout(echo);
      echo = setTimeout(() => wake(), ECHO_MS);
    },
    spendsWait: () => false,
    // The ledger is the queue: there is nothing else to tell.
    settled() {},
    gaveUp() {},
    letGo() {},
    keepOnly() {},
    state: () => ({ name: 'postgres', up: true, message: 'claims straight from the store' }),
  };
}
