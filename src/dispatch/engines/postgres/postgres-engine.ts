import { type Claim, claimSuspect, createClaimer, type Pauses } from '../../../outbox/index.js';
import type { Database } from '../../../store/index.js';
import type { Engine } from '../../engine.js';

/**
 * The default engine: claims straight from the ledger, fair between tenants and ordered by priority.
 * Woken by the bell at commit, again 25 ms later for a transaction that was just becoming visible, and
 * by a poll as the floor.
 */
export interface PostgresEngineOptions {
  database: Database;
  worker: () => number;
  routes: readonly string[];
  pollIntervalMs: number;
  pauses: () => Promise<Pauses>;
}

const ECHO_MS = 25;

export function createPostgresEngine(options: PostgresEngineOptions): Engine {
  const { database } = options;
  const routes = options.routes.map((route) => ({
    route,
    claimer: createClaimer(database, { route, worker: options.worker }),
  }));
  let firstRoute = 0;
  let poll: NodeJS.Timeout | undefined;
  let echo: NodeJS.Timeout | undefined;
  let wake: () => void = () => {};

  /** Routes take turns at being first, so that a full one does not starve the others. */
  function openRoutes(read: Pauses): typeof routes {
    if (read.all) return [];
    firstRoute = (firstRoute + 1) % routes.length;
    return [...routes.slice(firstRoute), ...routes.slice(0, firstRoute)].filter(
      (r) => !read.routes.has(r.route),
    );
  }

  return {
    name: 'postgres',
    async start() {
      poll ??= setInterval(() => wake(), options.pollIntervalMs);
    },
    async stop() {
      clearInterval(poll);
      clearTimeout(echo);
      poll = undefined;
    },
    async claim(limit) {
      const read = await options.pauses();
      const taken: Claim[] = [];
      for (const { claimer } of openRoutes(read)) {
        if (taken.length >= limit) break;
        taken.push(...(await claimer.claim(limit - taken.length, read.tenants)));
      }
      return taken;
    },
    async claimSuspect() {
      for (const { route } of openRoutes(await options.pauses())) {
        const claim = await claimSuspect(database, route, options.worker());
        if (claim) return claim;
      }
      return null;
    },
    onWork(fn) {
      wake = fn;
    },
    ring() {
      wake();
      clearTimeout(echo);
      echo = setTimeout(() => wake(), ECHO_MS);
    },
  };
}
