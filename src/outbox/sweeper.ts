import { inRounds, type Lifecycle, type Logger, messageOf, type Randomness } from '../kernel/index.js';
import { type Database, isStoreAway } from '../store/index.js';
import type { GivenUp } from './given-up.js';
import { bringBackParked } from './pauses.js';
import { RING_AGAIN_BATCH, ringAgain } from './ring-bells.js';
import { msUntilNextDue, sweepDue } from './sweep.js';
import { figuresOf, hasHeld, takeOverWorker } from './take-over.js';
import type { WorkerWatch } from './watch-workers.js';

/**
 * Runs in every worker process: promotes what is due, expires what is late, rings again for what a
 * broker lost, and takes over from the dead. Any number may run at once; each step is fenced. When the
 * database is away it asks at most once a second.
 */
export interface SweeperOptions {
  database: Database;
  /** Null in an embedded store: nobody else can be alive. */
  watch: WorkerWatch | null;
  logger: Logger;
  random: Randomness;
  /** After how long a bell that is out counts as lost. */
  ringAgainMs: number;
  /** Rows became claimable. */
  onReady: () => void;
  /** These ended; often none. */
  onGivenUp: (emails: readonly GivenUp[]) => void;
}

const LOOK_MS = 500;
const LOCKED_MS = 50;
const AWAY_MS = 1000;

export function createSweeper(options: SweeperOptions): Lifecycle {
  const { database, logger } = options;

  async function round(): Promise<number> {
    let ready = false;
    const look = await options.watch?.look();
    for (const dead of look?.dead ?? []) {
      const taken = await takeOverWorker(database, dead);
      if (!taken) continue;
      logger[hasHeld(taken) ? 'warn' : 'info'](figuresOf(taken), 'took over from a dead worker');
      options.onGivenUp(taken.ended);
      ready = true;
    }
    if ((await bringBackParked(database)) > 0) ready = true;
    const rungAgain = await ringAgain(database, options.ringAgainMs);
    const sweep = await sweepDue(database);
    options.onGivenUp(sweep.expired);
    if (sweep.promoted > 0 || rungAgain > 0 || ready) options.onReady();
    if (sweep.more || rungAgain === RING_AGAIN_BATCH) return 0;
    const dueMs = (await msUntilNextDue(database)) ?? LOOK_MS;
    // A moment later, so that it is dead by then.
    const deadMs = (look?.dying ?? []).map(({ inMs }) => inMs + 5);
    const waitMs = Math.min(LOOK_MS, dueMs, ...deadMs);
    // Due but not moved: an open transaction holds it, and asking again at once would be asking for ever.
    return waitMs === 0 && sweep.promoted === 0 ? LOCKED_MS : waitMs;
  }

  return inRounds({
    round,
    onFailure(error) {
      logger[isStoreAway(error) ? 'debug' : 'error']({ err: messageOf(error) }, 'sweep failed');
      return AWAY_MS * (1 + options.random() * 0.5);
    },
  });
}
