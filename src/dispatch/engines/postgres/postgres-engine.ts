import { type Clock, type Logger, messageOf } from '../../../kernel/index.js';
import {
  type Claim,
  type Claimer,
  claimSuspectsAndLook,
  createClaimer,
  isAnyReady,
  type Pauses,
} from '../../../outbox/index.js';
import type { Database } from '../../../store/index.js';
import type { Engine, RouteGate } from '../../engine.js';

/**
 * The default engine: claims straight from the ledger, fair between tenants and ordered by priority.
 * Of all workers a commit wakes two: the first claims at once, and again 25 ms later for a transaction that was just
 * becoming visible; the second claims after 5 ms if anything is left. Whoever looks for suspects, four times a second,
 * also sees what nobody has claimed; and there is a poll as the floor.
 */
export interface PostgresEngineOptions {
  database: Database;
  worker: () => number;
  routes: RouteGate;
  pollIntervalMs: number;
  pauses: () => Promise<Pauses>;
  clock: Clock;
  logger: Logger;
}

const ECHO_MS = 25;
const LATER_MS = 5;
/**
 * Where something is ready that this worker may not claim, such as a paused tenant's, it is not tried at each look: this
 * long at first, because another may only have been quicker, then twice as long each time.
 */
const IN_VAIN_MS = 250;
const MOST_IN_VAIN_MS = 2000;

export function createPostgresEngine(options: PostgresEngineOptions): Engine {
  const { database, routes } = options;
  const claimers = new Map<string, Claimer>();
  let firstRoute = 0;
  let poll: NodeJS.Timeout | undefined;
  let echo: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let wake: () => void = () => {};
  let quiet = false;
  /** The last claim found something: until the next one this worker has enough. */
  let busy = false;
  /** Woken because something was seen to be ready. */
  let seen = false;
  let inVainMs = IN_VAIN_MS;
  let inVainUntil = Number.NEGATIVE_INFINITY;

  async function stop(): Promise<void> {
    clearInterval(poll);
    clearTimeout(echo);
    clearTimeout(later);
    poll = undefined;
  }

  function claimSeen(): void {
    if (quiet || options.clock.monotonic() < inVainUntil) return;
    seen = true;
    wake();
  }

  async function claimWhatIsLeft(): Promise<void> {
    try {
      if (!quiet && (await isAnyReady(database, await routes.names()))) claimSeen();
    } catch (error) {
      // The claim that follows at the next look says what is wrong.
      options.logger.debug({ err: messageOf(error) }, 'it could not be seen whether an email is left');
    }
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
      if (taken.length > 0) inVainMs = IN_VAIN_MS;
      else if (seen) {
        inVainUntil = options.clock.monotonic() + inVainMs;
        inVainMs = Math.min(2 * inVainMs, MOST_IN_VAIN_MS);
      }
      seen = false;
      busy = taken.length > 0;
      return taken;
    },
    async claimSuspects(limit, beside = 0) {
      const read = await options.pauses();
      for (const route of await inTurn(read)) {
        const room = await routes.room(route, limit, read.routes);
        if (room === 0) continue;
        const worker = options.worker();
        const look = await claimSuspectsAndLook(database, { route, worker, limit: room, beside });
        if (look.ready) claimSeen();
        if (look.suspects.length === 0) continue;
        routes.took(route, look.suspects.length);
        return look.suspects;
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
    ringLater() {
      later ??= setTimeout(() => {
        later = undefined;
        claimWhatIsLeft();
      }, LATER_MS);
    },
    isBusy: () => quiet || busy,
    spendsWait: () => false,
    // The ledger is the queue: there is nothing else to tell.
    settled() {},
    gaveUp() {},
    letGo() {},
    keepOnly() {},
    state: () => ({ name: 'postgres', up: true, message: 'claims straight from the store' }),
  };
}
