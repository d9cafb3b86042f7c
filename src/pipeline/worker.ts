import {
  type Clock,
  delay,
  killPoint,
  type Lifecycle,
  type Logger,
  type Mailbox,
  messageOf,
  type Randomness,
  Signal,
} from '../kernel/index.js';
import type { Claim, Ledger, OpenOptions } from '../outbox/index.js';
import type { RouteBoard } from '../providers/index.js';
import type { Staging } from './attempt-email.js';
import { BeginMarks } from './begin-marks.js';
import { InFlight } from './in-flight.js';
import { type OpenTools, openBatch, type ReceivedClaim, received } from './open-batch.js';
import type { PipelineMetrics } from './pipeline-metrics.js';
import { createSettler } from './settler.js';
import type { SlotShares } from './slot-shares.js';
import { Suspects } from './suspects.js';

/**
 * Takes claims, opens them within the limits of count and bytes, attempts and settles them. Claiming
 * and sending overlap. Stops in four steps: no new claims, wait for what is in flight, give back the
 * rest uncounted, close.
 */
export interface WorkerOptions
  extends Pick<OpenTools, 'completeFromSql' | 'findMissingRecipients' | 'findSuppressed' | 'maxAttempts'> {
  source: WorkSource;
  ledger: Ledger;
  lease: { mayDeliver(): boolean };
  routes: RouteBoard;
  /** Who holds how much of what is attempted at once; without them all are alike. */
  shares?: SlotShares;
  sender: Mailbox | null;
  region: string | null;
  staging: Staging;
  batchSize: number;
  concurrency: number;
  inFlightBytes: number;
  sendTimeoutMs: number;
  stopDeadlineMs: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: PipelineMetrics;
}

/** What the worker needs of a queue engine. */
export interface WorkSource {
  claim(limit: number): Promise<Claim[]>;
  claimSuspects(limit: number, beside: number): Promise<Claim[]>;
  onWork(fn: () => void): void;
}

const AWAY_MS = 1000;
/** Claims are few and large: the turn of the tenants costs as much for a hundred rows as for five hundred. */
const REFILL = 4;
const SUSPECT_LOOK_MS = 250;
/** Where the last look left some behind. */
const SUSPECT_REFILL_MS = 25;
/** How long, at most, nothing is prepared beside a suspect that is attempted alone. */
const ALONE_MS = 2000;
/** Before it and after it has begun, or is ready to: what is written and answered at once is over by then. */
const ALONE_MARGIN_MS = 100;
/** Between two that are attempted alone the others have their turn. */
const BETWEEN_ALONE_MS = 500;
/** A statement may commit on the server after its connection was given up for lost. */
const STRAYS_LOOK_MS = 10_000;
/** After claims could not be opened: a caller's transaction that had them is over soon. */
const STRAYS_SOON_MS = 1000;
const ABORT_GRACE_MS = 2000;
const STILL_MS = 250;
/** Where some wait for their share. */
const SHORT_LOOK_MS = 50;

export function createWorker(options: WorkerOptions): Lifecycle {
  const { clock, ledger, logger, source } = options;
  const settler = createSettler({
    ...{ ledger, logger, random: options.random, hurry: () => alone !== null },
    onWritten: (count) => options.metrics.settled(count),
  });
  const flight = new InFlight(options);
  const abort = new AbortController();
  const stopping = new AbortController();
  /** The claim loop looks again. */
  const work = new Signal();
  /** The open loop looks again. */
  const room = new Signal();
  const claimed: ReceivedClaim[] = [];
  const suspects = new Suspects(Math.max(1, Math.floor(options.concurrency / 2)));
  let suspectsAt = 0;
  /** The last look found some. */
  let suspectsLeft = false;
  /** The suspect that is attempted alone; `moved` tells that it has begun, or waits for a connection, or is over. */
  let alone: { id: string; moved: Signal } | null = null;
  /** What the open loop is opening. */
  let opening: Promise<void> | null = null;
  /** Nothing was finished since the open loop looked. */
  let still = false;
  /** Rows may be ours that we do not hold. */
  let strays = false;
  let straysAt = clock.monotonic() + STRAYS_LOOK_MS;
  let loops: Promise<unknown> | null = null;
  let stopped: Promise<void> | null = null;

  const tools: OpenTools = {
    ledger,
    settler,
    routes: options.routes,
    marks: new BeginMarks(ledger, logger),
    sender: options.sender,
    region: options.region,
    staging: options.staging,
    domainWaitMs: (email) => flight.domainWaitMs(email),
    mayDeliver: () => options.lease.mayDeliver(),
    signal: abort.signal,
    sendTimeoutMs: options.sendTimeoutMs,
    clock,
    random: options.random,
    logger,
    debugs: logger.isLevelEnabled?.('debug') ?? true,
    informs: logger.isLevelEnabled?.('info') ?? true,
    metrics: options.metrics,
    onBegun(email) {
      if (email.id === alone?.id) alone.moved.notify();
      // Its server may take minutes to answer, and nothing can be learnt of it meanwhile.
      else if (email.suspect) leaveSuspects(email);
    },
    onWaiting({ id }) {
      if (id === alone?.id) alone.moved.notify();
    },
    onAttempted(email) {
      flight.attempted(email);
      room.notify();
    },
    completeFromSql: options.completeFromSql,
    findMissingRecipients: options.findMissingRecipients,
    findSuppressed: options.findSuppressed,
    maxAttempts: options.maxAttempts,
    onGone: letGo,
    onFault() {
      strays = true;
    },
    onPassedOver() {
      straysAt = Math.min(straysAt, clock.monotonic() + STRAYS_SOON_MS);
    },
  };

  /** Runs until stopped; a fault (the database is away) is waited out, at most one try a second. */
  async function keepDoing(what: string, step: () => Promise<void>): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await step();
      } catch (error) {
        if (stopping.signal.aborted) return;
        strays = true;
        logger.warn({ err: messageOf(error) }, `${what} failed`);
        await delay(AWAY_MS * (1 + options.random() * 0.5), stopping.signal);
      }
    }
  }

  async function claimMore(): Promise<void> {
    if (strays || clock.monotonic() >= straysAt) {
      await ledger.releaseStrays([...claimed.map((claim) => claim.id), ...suspects.ids(), ...flight.ids()]);
      strays = false;
      straysAt = clock.monotonic() + STRAYS_LOOK_MS;
    }
    if (clock.monotonic() >= suspectsAt) await trySuspects();
    const target = flight.claimTarget();
    // Those whose route or tenant has its share must not keep others from being claimed.
    const ahead = claimed.length - Math.min(flight.passedOver, claimed.length);
    if (ahead > target / REFILL) return void (await work.wait(SUSPECT_LOOK_MS));
    const claims = await source.claim(target - ahead);
    claimed.push(...received(claims, clock.monotonic()));
    for (const claim of claims) options.shares?.claimed(claim);
    killPoint('worker:claimed');
    if (claims.length > 0) room.notify();
    else await idle();
  }

  /** Nothing to do: until the engine calls, only suspects are looked for, and rows that nobody holds. */
  async function idle(): Promise<void> {
    for (;;) {
      const short = options.shares?.isShort ?? false;
      const waitMs = Math.max(1, Math.min(suspectsAt, straysAt) - clock.monotonic());
      if (await work.wait(short ? Math.min(waitMs, SHORT_LOOK_MS) : waitMs)) return;
      if (stopping.signal.aborted) continue;
      if (clock.monotonic() >= suspectsAt) await trySuspects();
      if (short || clock.monotonic() >= straysAt) return;
    }
  }

  /**
   * Suspects are attempted among the others, few enough together that a further death halves them. One that may only be
   * attempted alone is opened while nothing else is prepared; what only waits for its server goes on beside it.
   */
  async function trySuspects(): Promise<void> {
    suspectsAt = clock.monotonic() + SUSPECT_LOOK_MS;
    const more = suspects.room();
    if (more === 0) return;
    const claims = await source.claimSuspects(more, suspects.count);
    const [first] = claims;
    suspectsLeft = first !== undefined;
    if (!first) return;
    suspects.add(claims);
    if (first.groupLimit === 1) return tryAlone(first);
    claimed.unshift(...received(claims, clock.monotonic()));
    for (const claim of claims) options.shares?.claimed(claim);
    room.notify();
  }

  async function tryAlone(suspect: Claim): Promise<void> {
    const moved = new Signal();
    alone = { id: suspect.id, moved };
    try {
      await opening?.catch(() => {});
      await flight.untilEmpty(ALONE_MARGIN_MS, stopping.signal);
      await open(received([suspect], clock.monotonic()), { alone: true });
      if (flight.has(suspect) && (await moved.wait(ALONE_MS)) && flight.has(suspect)) {
        await moved.wait(ALONE_MARGIN_MS);
      }
      if (flight.has(suspect)) await ledger.endAlone(suspect);
    } finally {
      alone = null;
      suspects.remove(suspect);
      suspectsAt = clock.monotonic() + BETWEEN_ALONE_MS;
      room.notify();
    }
  }

  /** Over, or not ours any more. */
  function letGo(claim: { id: string }): void {
    flight.remove(claim);
    room.notify();
    if (claim.id === alone?.id) alone.moved.notify();
    leaveSuspects(claim);
  }

  /** Another may take its place among those that are attempted together. */
  function leaveSuspects(claim: { id: string }): void {
    if (!suspects.remove(claim) || !suspectsLeft || alone !== null) return;
    suspectsAt = Math.min(suspectsAt, clock.monotonic() + SUSPECT_REFILL_MS);
    work.notify();
  }

  async function openMore(): Promise<void> {
    const batch = alone === null ? flight.take(claimed, { still }) : [];
    still = false;
    if (batch.length === 0) {
      const waitMs = flight.passedOver > 0 ? SHORT_LOOK_MS : STILL_MS;
      still = !(await room.wait(claimed.length > 0 ? waitMs : undefined));
      return;
    }
    for (const claim of batch) options.shares?.unclaimed(claim);
    if (claimed.length - flight.passedOver <= flight.claimTarget() / REFILL) work.notify();
    opening = open(batch);
    await opening;
  }

  function open(batch: readonly ReceivedClaim[], how?: OpenOptions): Promise<void> {
    flight.add(batch);
    return openBatch(batch, tools, how);
  }

  async function finish(deadlineMs: number): Promise<void> {
    const until = clock.monotonic() + deadlineMs;
    /** A database that hangs must not hold up the stop for longer than it was given. */
    const bounded = async (work: Promise<unknown> | null, graceMs: number) => {
      const over = new AbortController();
      await Promise.race([work, delay(Math.max(0, until - clock.monotonic()) + graceMs, over.signal)]);
      over.abort();
    };
    stopping.abort();
    work.notify();
    room.notify();
    await bounded(loops, ABORT_GRACE_MS);
    const unopened = claimed.splice(0);
    const giveBack = ledger.release(unopened, { why: 'stopping' }).catch((error: unknown) => {
      logger.warn({ count: unopened.length, err: messageOf(error) }, 'claims could not be given back');
    });
    if (!(await flight.untilEmpty(until - clock.monotonic()))) {
      logger.warn({ inFlight: flight.count }, 'stop deadline reached: attempts in flight are ended');
      abort.abort();
      settler.abandon();
      await flight.untilEmpty(ABORT_GRACE_MS);
    }
    await bounded(giveBack, ABORT_GRACE_MS);
    settler.abandon();
    await bounded(settler.drain(), ABORT_GRACE_MS);
  }

  return {
    async start() {
      if (loops || stopped) return;
      source.onWork(() => work.notify());
      loops = Promise.all([keepDoing('claim', claimMore), keepDoing('open', openMore)]);
    },
    stop({ deadlineMs = options.stopDeadlineMs } = {}) {
      stopped ??= finish(deadlineMs);
      return stopped;
    },
  };
}
