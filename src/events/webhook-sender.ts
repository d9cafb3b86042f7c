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
import { type DisabledEndpoint, disableFailing } from './endpoint-rows.js';
import { postWebhook, type Resolve, type WebhookAnswer } from './post-webhook.js';
import { waitAfter } from './retry-times.js';
import { settleDelivery } from './settle-delivery.js';
import { signWebhook } from './sign-webhook.js';
import { oldSecretName, secretName, type WebhookSecrets } from './webhook-secrets.js';

/**
 * Delivers what is due to endpoints. Every repeat, whether after a refusal or after a process died with the request
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

const MAX_IN_FLIGHT = 200;
/** Where no bell is heard, and for what is due again. */
const POLL_MS = 1000;
/** Of two transactions that commit at once one rings, and perhaps before the other is seen. */
const LOOK_AGAIN_MS = 25;

/** Rung when something is owed. */
export const WEBHOOK_CHANNEL = 'postrider_webhooks';

/** Rung when something new is owed. */
export type WebhookSender = Rounds;
/** Beyond the request's own time: to read the answer in and write what came of it. */
const LEASE_EXTRA_MS = 15_000;

export function createWebhookSender(options: WebhookSenderOptions): WebhookSender {
  const { logger, clock } = options;
  const inFlight = new Map<string, { delivery: DueDelivery; over: Promise<void> }>();
  let started = false;
  let cutting = new AbortController();
  let again: NodeJS.Timeout | undefined;

  const rounds = inRounds({
    round: async () => ((await claimSome()) === 0 || inFlight.size >= MAX_IN_FLIGHT ? POLL_MS : 0),
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'webhooks could not be claimed');
      return POLL_MS;
    },
  });

  async function claimSome(): Promise<number> {
    if (await options.isHeld()) return 0;
    const database = await options.database();
    const due = await claimDeliveries(database, {
      places: { free: MAX_IN_FLIGHT - inFlight.size, taken: takenByTenant() },
      perEndpoint: options.concurrency,
      leaseMs: options.timeoutMs + LEASE_EXTRA_MS,
    });
    if (due.length > 0) killPoint('webhook:claimed');
    for (const delivery of due) {
      const over = deliver(database, delivery)
        .catch((error: unknown) => {
          // The lease ends and it is tried again, with the same id.
          logger.warn({ deliveryId: delivery.id, err: messageOf(error) }, 'webhook could not be settled');
        })
        .finally(() => {
          inFlight.delete(delivery.id);
          rounds.ring();
        });
      inFlight.set(delivery.id, { delivery, over });
    }
    return due.length;
  }

  function takenByTenant(): Map<string, number> {
    const taken = new Map<string, number>();
    for (const { delivery } of inFlight.values())
      taken.set(delivery.tenant, (taken.get(delivery.tenant) ?? 0) + 1);
    return taken;
  }

  async function deliver(database: Database, delivery: DueDelivery): Promise<void> {
    const sentAt = new Date(clock.now());
    const answer = await request(delivery, sentAt);
    if (answer === null) return;
    killPoint('webhook:answered');
    const { httpStatus } = answer;
    const ok = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
    const wait = waitAfter(delivery.attempt + 1, options.random);
    const retryInMs = wait === null ? null : Math.max(wait, answer.retryAfterMs ?? 0);
    const mine = await settleDelivery(database, delivery, { ok, answer, retryInMs, sentAt });
    killPoint('webhook:settled');
    logger.info(
      {
        ...{ deliveryId: delivery.id, endpointId: delivery.endpointId, type: delivery.type, httpStatus },
        ...(answer.error !== null && { err: answer.error }),
        ...(!mine && { takenOver: true }),
      },
      ok ? 'webhook delivered' : 'webhook failed',
    );
    if (ok || !mine) return;
    await disableWhereFailing(database, delivery.endpointId, httpStatus === 410);
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
  async function request(delivery: DueDelivery, at: Date): Promise<WebhookAnswer | null> {
    const body = JSON.stringify(options.complete(delivery.payload));
    const secrets = await secretsOf(delivery);
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
    async start() {
      if (started) return;
      started = true;
      cutting = new AbortController();
      await rounds.start();
    },
    async stop({ deadlineMs = 5000 } = {}) {
      if (!started) return;
      clearTimeout(again);
      again = undefined;
      await rounds.stop();
      started = false;
      const over = new AbortController();
      const all = Promise.all([...inFlight.values()].map((one) => one.over));
      await Promise.race([all, delay(deadlineMs, over.signal)]);
      over.abort();
      const cut = [...inFlight.values()].map((one) => one.delivery);
      cutting.abort();
      await all;
      if (cut.length > 0) await giveBack(cut);
    },
  };

  async function secretsOf({ endpointId, twoSecrets }: DueDelivery): Promise<string[]> {
    const names = [secretName(endpointId), ...(twoSecrets ? [oldSecretName(endpointId)] : [])];
    const found = await Promise.all(names.map((name) => options.secrets.get(name)));
    return found.filter((secret) => secret !== null);
  }

  async function giveBack(cut: readonly DueDelivery[]): Promise<void> {
    try {
      await releaseDeliveries(await options.database(), cut);
    } catch (error) {
      logger.warn({ err: messageOf(error) }, 'webhooks could not be given back; their leases will end');
    }
  }
}

/** What a receiver sees of a delivery's id. */
export function webhookId(deliveryId: string): string {
  return `msg_${deliveryId}`;
}
