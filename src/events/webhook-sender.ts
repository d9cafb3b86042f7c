import { setMaxListeners } from 'node:events';
import {
  type Clock,
  delay,
  inRounds,
  killPoint,
  type Logger,
  messageOf,
  type Randomness,
  type Rounds,
} from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { claimDeliveries, type DueDelivery, releaseDeliveries } from './claim-deliveries.js';
import { createDeliverySettler, type DeliverySettler } from './delivery-settler.js';
import { type ClaimedDelivery, EndpointQueues } from './endpoint-queues.js';
import { type DisabledEndpoint, disableFailing } from './endpoint-rows.js';
import { postWebhook, type Resolve, type WebhookAnswer } from './post-webhook.js';
import { waitAfter } from './retry-times.js';
import { signWebhook } from './sign-webhook.js';
import { oldSecretName, secretName, type WebhookSecrets } from './webhook-secrets.js';

/**
 * Delivers what is due to endpoints: claims some of each endpoint, requests a few at once, settles results together.
 * Claiming and settling take turns, so that a claim knows what this process holds. Every repeat, whether after a refusal or after a process died with the request
 * under way, carries the same webhook-id, so a receiver can tell. Logs neither bodies nor secrets.
 */
export interface WebhookSenderOptions {
  /** While true, what is due waits. */
  isHeld(): Promise<boolean>;
  database: () => Promise<Database>;
  allowPrivate: boolean;
  timeoutMs: number;
  /** Requests to one endpoint at once. */
  concurrency: number;
  disableAfterMs: number;
  /** Told in the transaction that turns an endpoint off. */
  onDisabled(endpoint: DisabledEndpoint, tx: Queryable): Promise<void>;
  /** Adds what the store does not know: the default sender and the Message-ID. */
  complete(payload: Record<string, unknown>): Record<string, unknown>;
  secrets: WebhookSecrets;
  resolve?: Resolve;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

/** Claimed and not settled yet. */
const MAX_IN_FLIGHT = 200;
/** Where no bell is heard, and for what is due again. */
const POLL_MS = 1000;
/** Of two transactions that commit at once one rings, and perhaps before the other is seen. */
const LOOK_AGAIN_MS = 25;

/** Rung when something is owed. */
export const WEBHOOK_CHANNEL = 'postrider_webhooks';

/** Rung when something new is owed. */
export interface WebhookSender extends Rounds {
  /** Another process was woken for something new: looks in a few milliseconds whether it is left. */
  ringLater(): void;
}

const LATER_MS = 5;
/** Beyond the request's own time: to wait for its turn, to read the answer in and write what came of it. */
const LEASE_EXTRA_MS = 15_000;
/** A request that begins with less left than its own time and this is not made. */
const SETTLE_WITHIN_MS = 10_000;
const BETWEEN_CLAIMS_MS = 10;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { logger, clock } = options;
  const inFlight = new Map<string, { delivery: DueDelivery; over: Promise<void> }>();
  const queues = new EndpointQueues(options.concurrency);
  const inTurn = oneAfterAnother();
  const leaseMs = options.timeoutMs + LEASE_EXTRA_MS;
  let started = false;
  let cutting = new AbortController();
  let settler = openSettler();
  let again: NodeJS.Timeout | undefined;
  let later: NodeJS.Timeout | undefined;
  let claimedAt = Number.NEGATIVE_INFINITY;
  /** Places ran out before what is due did. */
  let exhausted = false;

  const rounds = inRounds({
    round: async (signal) => {
      // One that is at work hears of every email that is settled.
      const early = claimedAt + BETWEEN_CLAIMS_MS - clock.monotonic();
      if (queues.count > 0 && early > 0) await delay(early, signal);
      if (!signal.aborted) await claimSome();
      return POLL_MS;
    },
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'webhooks could not be claimed');
      return POLL_MS;
    },
  });

  function openSettler(): DeliverySettler {
    return createDeliverySettler({
      ...{ database: options.database, failingForMs: options.disableAfterMs, inTurn },
      ...{ random: options.random, logger },
      onWritten() {
        if (queues.isLow() || exhausted) rounds.ring();
      },
    });
  }

  async function claimSome(): Promise<void> {
    if (await options.isHeld()) return;
    const database = await options.database();
    await inTurn(async () => {
      const free = MAX_IN_FLIGHT - queues.count;
      if (free === 0) {
        exhausted = true;
        return;
      }
      claimedAt = clock.monotonic();
      const due = await claimDeliveries(database, {
        places: { free, taken: queues.byTenant() },
        perEndpoint: options.concurrency,
        shares: queues.shares(),
        leaseMs,
      });
      if (due.length > 0) killPoint('webhook:claimed');
      const before = queues.byTenant();
      for (const { tenant } of due) before.set(tenant, (before.get(tenant) ?? 0) + 1);
      // A tenant may hold no more than it leaves free.
      exhausted = Math.max(0, ...before.values()) + due.length >= free;
      const secretsOf = secretsReader();
      const leaseEndsAt = claimedAt + leaseMs;
      queues.add(
        due.map((delivery) => ({ ...delivery, leaseEndsAt, secrets: () => secretsOf(delivery) })),
        !exhausted,
      );
      for (const id of new Set(due.map(({ endpointId }) => endpointId))) requestMore(database, id);
    });
  }

  /** As many as this endpoint may get at once. What has waited too long for that is given back. */
  function requestMore(database: Database, endpointId: string): void {
    const late: ClaimedDelivery[] = [];
    for (;;) {
      const delivery = queues.next(endpointId);
      if (!delivery) break;
      if (delivery.leaseEndsAt - clock.monotonic() < options.timeoutMs + SETTLE_WITHIN_MS) {
        queues.answered(delivery, options.timeoutMs);
        queues.remove(delivery);
        late.push(delivery);
        continue;
      }
      const over = deliver(database, delivery)
        .catch((error: unknown) => {
          // The lease ends and it is tried again, with the same id.
          logger.warn({ deliveryId: delivery.id, err: messageOf(error) }, 'webhook could not be settled');
        })
        .finally(() => {
          inFlight.delete(delivery.id);
          queues.remove(delivery);
        });
      inFlight.set(delivery.id, { delivery, over });
    }
    if (late.length > 0) void giveBack(late).then(() => rounds.ring());
  }

  async function deliver(database: Database, delivery: ClaimedDelivery): Promise<void> {
    const sentAt = new Date(clock.now());
    const startedAt = clock.monotonic();
    const answer = await request(delivery, sentAt).finally(() => {
      queues.answered(delivery, clock.monotonic() - startedAt);
      requestMore(database, delivery.endpointId);
    });
    if (answer === null) return;
    killPoint('webhook:answered');
    const { httpStatus } = answer;
    const ok = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
    const wait = waitAfter(delivery.attempt + 1, options.random);
    const retryInMs = wait === null ? null : Math.max(wait, answer.retryAfterMs ?? 0);
    const settled = await settler.settle({ delivery, ok, answer, retryInMs, sentAt });
    killPoint('webhook:settled');
    logger.info(
      {
        ...{ deliveryId: delivery.id, endpointId: delivery.endpointId, type: delivery.type, httpStatus },
        ...(answer.error !== null && { err: answer.error }),
        ...(!settled && { takenOver: true }),
      },
      ok ? 'webhook delivered' : 'webhook failed',
    );
    const gone = httpStatus === 410;
    if (settled?.overdue || (settled && gone)) await disableWhereFailing(database, delivery.endpointId, gone);
  }

  async function disableWhereFailing(database: Database, id: string, gone: boolean): Promise<void> {
    const disabled = await database.transaction(async (tx) => {
      const off = await disableFailing(tx, id, { afterMs: options.disableAfterMs, gone });
      if (off === null) return null;
      killPoint('webhook:disabling');
      await options.onDisabled(off, tx);
      return off;
    });
    if (disabled === null) return;
    const { tenant: companyId, reason } = disabled;
    logger.warn({ endpointId: id, companyId, reason }, 'webhook endpoint disabled');
  }

  /** Null when the process stopped first: the delivery is given back. */
  async function request(delivery: ClaimedDelivery, at: Date): Promise<WebhookAnswer | null> {
    const body = JSON.stringify(options.complete(delivery.payload));
    const secrets = await delivery.secrets();
    const headers = signWebhook({
      id: webhookId(delivery.id),
      at,
      body,
      secrets,
    });
    const { signal } = cutting;
    const answer = await postWebhook(
      delivery.url,
      { headers, body },
      {
        allowPrivate: options.allowPrivate,
        timeoutMs: options.timeoutMs,
        clock,
        signal,
        ...(options.resolve && { resolve: options.resolve }),
      },
    );
    return signal.aborted && answer.httpStatus === null ? null : answer;
  }

  return {
    ring() {
      if (!started) return;
      rounds.ring();
      again ??= setTimeout(() => {
        again = undefined;
        rounds.ring();
      }, LOOK_AGAIN_MS).unref();
    },
    ringLater() {
      if (!started) return;
      later ??= setTimeout(() => {
        later = undefined;
        rounds.ring();
      }, LATER_MS).unref();
    },
    async start() {
      if (started) return;
      started = true;
      cutting = new AbortController();
      setMaxListeners(MAX_IN_FLIGHT + 1, cutting.signal);
      settler = openSettler();
      await rounds.start();
    },
    async stop({ deadlineMs = 5000 } = {}) {
      if (!started) return;
      clearTimeout(again);
      clearTimeout(later);
      again = undefined;
      later = undefined;
      await rounds.stop();
      started = false;
      await giveBack(queues.takeWaiting());
      const over = new AbortController();
      const all = Promise.all([...inFlight.values()].map((one) => one.over));
      await Promise.race([all, delay(deadlineMs, over.signal)]);
      over.abort();
      const cut = [...inFlight.values()].map((one) => one.delivery);
      cutting.abort();
      settler.abandon();
      await all;
      await giveBack(cut);
    },
  };

  /** Each endpoint's are read once for what was claimed together. */
  function secretsReader(): (delivery: DueDelivery) => Promise<string[]> {
    const known = new Map<string, Promise<string[]>>();
    return (delivery) => {
      const { endpointId } = delivery;
      const read = known.get(endpointId) ?? secretsOf(delivery);
      known.set(endpointId, read);
      // A failure is its delivery's alone: the next one reads again.
      read.catch(() => known.delete(endpointId));
      return read;
    };
  }

  async function secretsOf({ endpointId, twoSecrets }: DueDelivery): Promise<string[]> {
    const names = [secretName(endpointId), ...(twoSecrets ? [oldSecretName(endpointId)] : [])];
    const found = await Promise.all(names.map((name) => options.secrets.get(name)));
    return found.filter((secret) => secret !== null);
  }

  async function giveBack(cut: readonly DueDelivery[]): Promise<void> {
    if (cut.length === 0) return;
    try {
      await releaseDeliveries(await options.database(), cut);
    } catch (error) {
      logger.warn({ err: messageOf(error) }, 'webhooks could not be given back; their leases will end');
    }
  }
}

/** Runs what it is given one after another, in the order in which it came; a failure is its caller's alone. */
function oneAfterAnother(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
}

/** What a receiver sees of a delivery's id. */
export function webhookId(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
