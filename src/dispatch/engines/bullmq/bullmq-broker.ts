import type { Job, Queue, Worker } from 'bullmq';
import { delay, type Logger, messageOf, type StopOptions, toStorableText } from '../../../kernel/index.js';
import type { BellBroker, BellEnd, BrokerListener, HeardBell, OutgoingBell } from '../../bell-broker.js';
import { clearMisplacedJobs } from './clear-misplaced-jobs.js';
import { type EmailJob, JOB_NAME, makeEmailJob, QUEUE_NAME, readEmailJob } from './email-job.js';
import { findStandstill } from './find-standstill.js';
import { findUnreadable } from './find-unreadable.js';
import { forgetJobs } from './forget-jobs.js';
import { type BullmqPackages, loadPackages } from './load-packages.js';
import { markPrefix, RENEW_MS } from './mark-prefix.js';
import { createRedisLink, type LinkTrouble, type RedisLink } from './redis-link.js';

/**
 * Bells as jobs of BullMQ: queue `email-send`, job `email:send`, job id = email id. A job is active while its
 * email is attempted, is delayed by the `gateway` backoff for a retry, and goes when it is over: Redis keeps
 * nobody's address. It may stall or be lost; the ledger knows. Refuses a Redis that evicts keys.
 */
export interface BullmqOptions {
  url: string;
  /** In front of every key. */
  prefix: string;
  /** Jobs this worker holds at most. */
  prefetch: number;
  /** The id of the store whose jobs these are; others keep away from the queue meanwhile. */
  store: string;
  /** The wait after so many failed attempts, for a job nobody says a wait for. */
  gatewayWaitMs: (attemptsMade: number) => number;
  logger: Logger;
}

export interface JobBell extends HeardBell {
  /** null where the email goes to this worker without a job. */
  end: { completed(): void; failed(error: Error): void } | null;
}

/** A dead worker's jobs come back after at most twice this; its claims long before, through the ledger. */
const LOCK_MS = 6000;
const STALLED_LOOK_MS = 2000;
/** How often a job may stall is the ledger's to decide: it counts crashes. */
const ANY_NUMBER = 1_000_000;
/** The longest wait of the gateway preset with its jitter; longer ones stay in the ledger. */
const LONGEST_WAIT_MS = 750_000;
const QUIET_MS = 1000;

export function createBullmqBroker(options: BullmqOptions): BellBroker<JobBell> {
  const { logger } = options;
  let listener: BrokerListener<JobBell> | null = null;
  let packages: BullmqPackages | null = null;
  let link: RedisLink | null = null;
  let queue: Queue<EmailJob> | null = null;
  let worker: Worker<EmailJob> | null = null;
  let trouble: LinkTrouble | null = { kind: 'away', message: 'not connected yet' };
  let stopped = false;
  let warned = false;
  let renewing: NodeJS.Timeout | undefined;
  const mark = markPrefix(options);

  async function checkMark(client: RedisLink['client']): Promise<void> {
    for (const id of await clearMisplacedJobs(client, (name) => `${options.prefix}:${QUEUE_NAME}:${name}`))
      refuse({ id, code: 'INVALID_PAYLOAD', field: 'id', reason: 'is a key of the queue itself' });
    // Without the mark there is nothing else of ours either, or nobody was there to renew it.
    if ((await mark.renew(client)) === 'new') listener?.onNothingOut({ waits: true });
    const standstill = await findStandstill(client, `${options.prefix}:${QUEUE_NAME}:meta`);
    if (standstill !== null) throw new Error(standstill);
  }

  const state = () => ({
    name: 'bullmq' as const,
    up: trouble === null,
    message: trouble === null ? 'Redis answers' : messageIn(trouble),
  });

  function changed(now: LinkTrouble | null): void {
    const before = trouble === null;
    trouble = now;
    if (now === null && !worker) connectQueue();
    if (before !== (now === null)) {
      if (now === null) logger.info({ engine: 'bullmq' }, 'the broker is back');
      else
        logger.warn(
          { engine: 'bullmq', err: messageIn(now) },
          'the broker is away; emails are accepted and wait',
        );
    }
    listener?.onState(state());
  }

  function connectQueue(): void {
    if (stopped || !packages || !link) return;
    const { bullmq, Redis } = packages;
    const { prefix, prefetch } = options;
    // A worker waits for Redis for as long as it takes; errors are those of the link, told once.
    const connection = new Redis(options.url, { maxRetriesPerRequest: null });
    connection.on('error', (error: Error) => warn(messageOf(error), 'the connection of the worker failed'));
    // Not before Redis has answered once: what fails while it is made fails for ever.
    queue = new bullmq.Queue<EmailJob>(QUEUE_NAME, {
      connection: link.client,
      prefix,
      skipMetasUpdate: true,
    });
    queue.on('error', (error) => warn(messageOf(error), 'the connection to Redis failed'));
    worker = new bullmq.Worker<EmailJob>(QUEUE_NAME, process, {
      connection,
      prefix,
      concurrency: prefetch,
      lockDuration: LOCK_MS,
      stalledInterval: STALLED_LOOK_MS,
      maxStalledCount: ANY_NUMBER,
      settings: {
        backoffStrategy: (attemptsMade, _type, error) =>
          error instanceof RetryLater ? error.waitMs : options.gatewayWaitMs(attemptsMade),
      },
    });
    worker.on('error', (error) => warn(wordsOf(error), 'a job could not be moved; the ledger knows better'));
    // Whatever the options of a job say, nothing of it stays.
    worker.on('active', ({ opts }) => {
      opts.removeOnComplete = true;
      opts.removeOnFail = true;
    });
    worker.on('stalled', (id) => void dropUnreadable(id));
    worker.on('closed', () => connection.disconnect());
  }

  /** A job that is no JSON fails where BullMQ reads it, and one with an odd count where it counts: both would stall for ever. */
  async function dropUnreadable(id: string): Promise<void> {
    if (!queue || !link) return;
    const { client } = link;
    try {
      const unreadable = await findUnreadable(client, queue, id);
      if (unreadable === null) return;
      const stays = await forgetJobs({ client, queue }, [id]);
      if (stays.size === 0) refuse({ id, code: 'INVALID_PAYLOAD', ...unreadable });
    } catch (error) {
      warn(wordsOf(error), 'a stalled job could not be looked at');
    }
  }

  function refuse({ id, ...why }: Refused): void {
    logger.warn({ jobId: shownId(id), ...why }, 'a job was refused');
    listener?.onRefused();
  }

  /** Resolves or rejects, and thereby ends the job, when the ledger knows what became of the email. */
  function process(job: Job<EmailJob>): Promise<void> {
    const read = readEmailJob(job);
    if (!read.ok) {
      const { field, reason } = read;
      refuse({ id: job.id, code: 'INVALID_PAYLOAD', field, reason });
      throw unrecoverable('INVALID_PAYLOAD');
    }
    const { outboxId: id, companyId: tenant } = read.job;
    return new Promise((completed, failed) => {
      listener?.onBell({ id, tenant, token: null, end: { completed, failed } });
    });
  }

  function warn(err: string, message: string): void {
    if (warned || stopped) return;
    warned = true;
    setTimeout(() => {
      warned = false;
    }, QUIET_MS).unref();
    logger.warn({ engine: 'bullmq', err }, message);
  }

  function endJob({ bell, settlement, unknown }: BellEnd<JobBell>): void {
    const code = settlement?.errorCode ?? settlement?.status ?? '';
    if (unknown && bell) {
      refuse({
        id: bell.id,
        code: 'OUTBOX_NOT_FOUND',
        field: 'outboxId',
        reason: 'is no email of its company',
      });
      bell.end?.failed(unrecoverable('OUTBOX_NOT_FOUND'));
    } else if (settlement?.rings) bell?.end?.failed(new RetryLater(code, settlement.retryDelayMs ?? 0));
    else if (settlement?.status === 'failed' || settlement?.status === 'unknown') {
      bell?.end?.failed(unrecoverable(code));
    } else bell?.end?.completed();
  }

  return {
    name: 'bullmq',
    wantsData: true,
    async start(hears) {
      listener = hears;
      packages = await loadPackages();
      if (stopped) return;
      const opened = createRedisLink(packages.Redis, options.url, checkMark);
      link = opened;
      const found = await link.open();
      if (found?.kind === 'refused') {
        link.close();
        throw found.error;
      }
      // Stopped meanwhile: nobody would end what begins here.
      if (stopped) return;
      link.onChange(changed);
      changed(found);
      renewing = setInterval(() => void opened.look(), RENEW_MS);
    },
    async quiesce() {
      await worker?.pause(true);
    },
    async stop({ deadlineMs = 5000 }: StopOptions = {}) {
      stopped = true;
      clearInterval(renewing);
      const over = new AbortController();
      // Redis may be away: then nobody answers, and the jobs are found stalled.
      await Promise.race([worker?.close(), delay(Math.max(LEAST_CLOSE_MS, deadlineMs), over.signal)]);
      over.abort();
      await Promise.race([worker?.close(true), delay(LEAST_CLOSE_MS)]);
      link?.close();
      trouble = { kind: 'away', message: 'stopped' };
    },
    async publish(bells) {
      if (!queue || !link || trouble !== null) throw new Error(state().message);
      const taken = await forgetJobs(
        { client: link.client, queue },
        bells.map(({ id }) => id),
      );
      const jobs = bells.map((bell) => ({ bell, data: taken.has(bell.id) ? null : makeEmailJob(bell) }));
      await queue.addBulk(jobs.flatMap(({ bell, data }) => (data ? [asJob(bell, data)] : [])));
      // What fits no job is for the pipeline to refuse, which says so in the ledger.
      for (const { bell, data } of jobs) {
        if (!data) listener?.onBell({ id: bell.id, token: bell.token, direct: true, end: null });
      }
    },
    spendsWait: (waitMs) => waitMs <= LONGEST_WAIT_MS,
    async ended(ends) {
      for (const end of ends) endJob(end);
    },
    // There are no dead letters in Redis; the ledger has them.
    gaveUp() {},
    state,
  };
}

const LEAST_CLOSE_MS = 1000;

function asJob(bell: OutgoingBell, data: EmailJob) {
  return {
    name: JOB_NAME,
    data,
    opts: {
      jobId: bell.id,
      attempts: Math.max(1, bell.maxAttempts - bell.attempt),
      backoff: { type: 'gateway' },
      removeOnComplete: true,
      removeOnFail: true,
    },
  };
}

interface Refused {
  id: string | undefined;
  code: 'INVALID_PAYLOAD' | 'OUTBOX_NOT_FOUND';
  field: string;
  reason: string;
}

/** As much of it as a line needs; an id may be anything, also somebody's address. */
function shownId(id: string | undefined): string {
  const shown = toStorableText((id ?? '').slice(0, 128));
  return shown.includes('@') ? '(with an @)' : shown;
}

/** A complaint about JSON quotes it. */
function wordsOf(error: unknown): string {
  return error instanceof SyntaxError ? 'a job is no JSON' : messageOf(error);
}

/** BullMQ knows it by its name. */
function unrecoverable(code: string): Error {
  return Object.assign(new Error(code), { name: 'UnrecoverableError' });
}

/** The ledger's own wait, jitter and all, so that both know the same moment. */
class RetryLater extends Error {
  constructor(
    code: string,
    readonly waitMs: number,
  ) {
    super(code);
    this.name = 'RetryLater';
  }
}

function messageIn(trouble: LinkTrouble): string {
  return trouble.kind === 'away' ? trouble.message : messageOf(trouble.error);
}
