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
import type { Claim, Ledger, OpenedEmail } from '../outbox/index.js';
import type { RouteBoard } from '../providers/index.js';
import { type AttemptTools, attemptEmail, type Staging } from './attempt-email.js';
import { InFlight } from './in-flight.js';
import type { Suppressed } from './leave-out-suppressed.js';
import type { PipelineMetrics } from './pipeline-metrics.js';
import { createSettler } from './settler.js';

/**
 * Takes claims, opens them within the limits of count and bytes, attempts and settles them. Claiming
 * and sending overlap. Stops in four steps: no new claims, wait for what is in flight, give back the
 * rest uncounted, close.
 */
export interface WorkerOptions {
  source: WorkSource;
  ledger: Ledger;
  lease: { mayDeliver(): boolean };
  routes: RouteBoard;
  sender: Mailbox | null;
  region: string | null;
  staging: Staging;
  /** Those of the emails whose recipient is named but not there. */
  findMissingRecipients(emails: readonly OpenedEmail[]): Promise<Set<string>>;
  /** Those of the emails that go to someone who must not be written to, and who that is. */
  findSuppressed(emails: readonly OpenedEmail[]): Promise<Map<string, Suppressed[]>>;
  /** Cap on attempts of emails that did not come through intake; null: what each says. */
  maxAttempts: number | null;
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
  claimSuspects(limit: number): Promise<Claim[]>;
  onWork(fn: () => void): void;
}

const AWAY_MS = 1000;
/** Claims are few and large: the turn of the tenants costs as much for a hundred rows as for five hundred. */
const REFILL = 4;
const SUSPECT_LOOK_MS = 250;
const SUSPECTS_AT_ONCE = 200;
/** How long suspects may keep the others waiting before those get their turn. */
const SUSPECTS_TURN_MS = 500;
/** A statement may commit on the server after its connection was given up for lost. */
const STRAYS_LOOK_MS = 10_000;
const ABORT_GRACE_MS = 2000;
const STILL_MS = 250;

export function createWorker(options: WorkerOptions): Lifecycle {
  const { clock, ledger, logger, source } = options;
  const settler = createSettler({
    ...{ ledger, logger, random: options.random, hurry: () => alone },
    onWritten: (count) => options.metrics.settled(count),
  });
  const flight = new InFlight(options);
  const abort = new AbortController();
  const stopping = new AbortController();
  /** The claim loop looks again. */
  const work = new Signal();
  /** The open loop looks again. */
  const room = new Signal();
  const claimed: Array<Claim & { receivedAt: number }> = [];
  const suspects: Claim[] = [];
  let suspectsAt = 0;
  let alone = false;
  /** Nothing was finished since the open loop looked. */
  let still = false;
  /** Rows may be ours that we do not hold. */
  let strays = false;
  let straysAt = clock.monotonic() + STRAYS_LOOK_MS;
  let loops: Promise<unknown> | null = null;
  let stopped: Promise<void> | null = null;

  const tools: AttemptTools = {
    ledger,
    settler,
    routes: options.routes,
    sender: options.sender,
    region: options.region,
    staging: options.staging,
    mayDeliver: () => options.lease.mayDeliver(),
    signal: abort.signal,
    sendTimeoutMs: options.sendTimeoutMs,
    clock,
    random: options.random,
    logger,
    debugs: logger.isLevelEnabled?.('debug') ?? true,
    informs: logger.isLevelEnabled?.('info') ?? true,
    metrics: options.metrics,
    onAttempted(email) {
      flight.attempted(email);
      room.notify();
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
      await ledger.releaseStrays([...[...claimed, ...suspects].map((claim) => claim.id), ...flight.ids()]);
      strays = false;
      straysAt = clock.monotonic() + STRAYS_LOOK_MS;
    }
    if (clock.monotonic() >= suspectsAt) await trySuspects();
    const target = flight.claimTarget();
    if (claimed.length > target / REFILL) return void (await work.wait(SUSPECT_LOOK_MS));
    const claims = await source.claim(target - claimed.length);
    const receivedAt = clock.monotonic();
    for (const { id, token, bytes, route, atMostOnce } of claims) {
      claimed.push({ id, token, bytes, route, atMostOnce, receivedAt });
    }
    killPoint('worker:claimed');
    if (claims.length > 0) room.notify();
    else await idle();
  }

  /** Nothing to do: until the engine calls, only suspects are looked for. */
  async function idle(): Promise<void> {
    while (!(await work.wait(Math.max(1, suspectsAt - clock.monotonic())))) {
      if (!stopping.signal.aborted) await trySuspects();
    }
  }

  /**
   * A suspect is attempted with nothing beside it, so that if the process dies it is known by whom. Several
   * follow each other before the others go on: emptying the flight for each took a killed worker's emails
   * six seconds instead of one.
   */
  async function trySuspects(): Promise<void> {
    if (suspects.length === 0) suspects.push(...(await source.claimSuspects(SUSPECTS_AT_ONCE)));
    suspectsAt = clock.monotonic() + (suspects.length > 0 ? 0 : SUSPECT_LOOK_MS);
    if (suspects.length === 0) return;
    alone = true;
    const until = clock.monotonic() + SUSPECTS_TURN_MS;
    try {
      // One that still waits for a slow answer is beside it then, and the suspect does not count as alone.
      let empty = await flight.untilEmpty(options.sendTimeoutMs, stopping.signal);
      while (!stopping.signal.aborted && clock.monotonic() < until) {
        const suspect = suspects.shift();
        if (!suspect) break;
        await open([{ ...suspect, receivedAt: clock.monotonic() }], { alone: empty });
        empty = await flight.untilEmpty(options.sendTimeoutMs, stopping.signal);
      }
    } finally {
      alone = false;
      room.notify();
    }
  }

  async function openMore(): Promise<void> {
    const batch = alone ? [] : flight.take(claimed, { still });
    still = false;
    if (batch.length === 0) {
      still = !(await room.wait(claimed.length > 0 ? STILL_MS : undefined));
      return;
    }
    if (claimed.length <= flight.claimTarget() / REFILL) work.notify();
    await open(batch);
  }

  async function open(
    batch: ReadonlyArray<Claim & { receivedAt: number }>,
    how: { alone?: boolean } = {},
  ): Promise<void> {
    flight.add(batch);
    const started = new Set<string>();
    try {
      const emails = await ledger.open(batch, how);
      killPoint('worker:opened');
      const [pauses, missing, suppressed] = await Promise.all([
        ledger.pauses(),
        options.findMissingRecipients(emails),
        options.findSuppressed(emails),
      ]);
      const receivedAt = new Map(batch.map((claim) => [claim.id, claim.receivedAt]));
      for (const email of emails) {
        const most = email.earlierAttempts + (options.maxAttempts ?? email.maxAttempts);
        email.maxAttempts = Math.min(email.maxAttempts, most);
        const known = {
          pauses,
          recipientMissing: missing.has(email.id),
          suppressed: suppressed.get(email.id) ?? [],
          receivedAt: receivedAt.get(email.id) ?? 0,
        };
        started.add(email.id);
        attemptEmail(email, known, tools)
          .catch((error: unknown) => {
            strays = true;
            logger.error({ outboxId: email.id, err: messageOf(error) }, 'attempt could not be recorded');
          })
          .finally(() => {
            flight.remove(email);
            room.notify();
          });
      }
    } finally {
      // Claims that were cancelled or taken over since, or all of them when the database failed: what was
      // not started is not held, and so is given back as a stray.
      for (const claim of batch) if (!started.has(claim.id)) flight.remove(claim);
    }
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
    const unopened = [...claimed.splice(0), ...suspects.splice(0)];
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
