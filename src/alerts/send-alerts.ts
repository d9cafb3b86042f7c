import { type Clock, killPoint, type Logger, messageOf, type Randomness } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { type AlertMessage, emailContent, slackBody, webhookBody } from './alert-message.js';
import type { AlertEmail, AlertSettings, HttpRequest } from './create-alerts.js';
import type { Channel } from './episodes.js';
import { claimNotifications, type DueNotification, settleNotification } from './notifications.js';
import { readUnusableRoutes } from './unusable-routes.js';

/**
 * The ways to people. A message is sent at least once: a process killed after sending it leaves it to be sent again, under
 * the same id. No way takes longer than SEND_MS, so that the lease of a message outlasts its sending.
 */
export interface AlertSender {
  send(channel: Channel, message: AlertMessage, how: HowToSend): Promise<Sent>;
  /** Sends what is due; says whether anything was. */
  sendDue(database: Database): Promise<boolean>;
  callHeartbeat(): Promise<Sent>;
}

export interface HowToSend {
  /** Routes that no email goes by. */
  without: readonly string[];
  attempt: number;
}

export interface Sent {
  error: string | null;
  retryAfterMs: number | null;
}

export interface AlertSenderOptions {
  settings: AlertSettings;
  channels: readonly Channel[];
  request(to: HttpRequest, signal: AbortSignal): Promise<Sent>;
  sign(message: { id: string; at: Date; body: string; secret: string }): Record<string, string>;
  sendEmail(email: AlertEmail, how: HowToSend & { signal: AbortSignal }): Promise<void>;
  dashboardUrl: string | null;
  /** Ends what is being sent. */
  signal(): AbortSignal;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

export const SEND_MS = 60_000;
const LEASE_MS = 90_000;
const RETRY_MS = [5_000, 15_000, 60_000, 5 * 60_000, 15 * 60_000];
/** A receiver that asks for a longer wait is asked again then. */
const LONGEST_WAIT_MS = 15 * 60_000;
/** About a day: by then its end has usually come. */
const MOST_ATTEMPTS = 100;

export function createAlertSender(options: AlertSenderOptions): AlertSender {
  const { settings, channels, clock, dashboardUrl, logger } = options;

  async function sendOne(database: Database, due: DueNotification, without: string[]): Promise<void> {
    const { attempt } = due;
    const { error, retryAfterMs } = await send(due.channel, due, { without, attempt });
    killPoint('alert:sent');
    const wait = RETRY_MS[Math.min(attempt, RETRY_MS.length) - 1]! * (0.8 + options.random() * 0.4);
    const over = error === null || attempt >= MOST_ATTEMPTS;
    const retryInMs = over ? null : Math.max(wait, Math.min(retryAfterMs ?? 0, LONGEST_WAIT_MS));
    await settleNotification(database, due, { error, retryInMs });
    killPoint('alert:settled');
    if (error !== null)
      logger.warn({ channel: due.channel, alert: due.alert, err: error }, 'alert could not be sent');
  }

  async function send(channel: Channel, message: AlertMessage, how: HowToSend): Promise<Sent> {
    const limit = AbortSignal.timeout(SEND_MS);
    const signal = AbortSignal.any([limit, options.signal()]);
    try {
      return await orAborted(by(channel, message, how, signal), signal);
    } catch (error) {
      const reason = limit.aborted ? `no answer within ${SEND_MS / 1000} seconds` : messageOf(error);
      return { error: reason, retryAfterMs: null };
    }
  }

  async function by(
    channel: Channel,
    message: AlertMessage,
    how: HowToSend,
    signal: AbortSignal,
  ): Promise<Sent> {
    switch (channel) {
      case 'email': {
        const id = `${message.episodeId}-${message.kind}`;
        const email = { id, to: settings.emailTo ?? [], ...emailContent(message, dashboardUrl) };
        await options.sendEmail(email, { ...how, signal });
        return { error: null, retryAfterMs: null };
      }
      case 'slack': {
        const body = JSON.stringify(slackBody(message, dashboardUrl));
        return options.request({ method: 'POST', url: settings.slackUrl!, headers: {}, body }, signal);
      }
      case 'webhook': {
        const at = new Date(clock.now());
        const body = JSON.stringify(webhookBody(message, dashboardUrl, at));
        const id = `alert_${message.episodeId}_${message.kind}`;
        const headers = options.sign({ id, at, body, secret: settings.webhookSecret! });
        return options.request({ method: 'POST', url: settings.webhookUrl!, headers, body }, signal);
      }
    }
  }

  return {
    send,
    async sendDue(database) {
      if (channels.length === 0) return false;
      const due = await claimNotifications(database, channels, LEASE_MS);
      if (due.length === 0) return false;
      killPoint('alert:claimed');
      const without = await readUnusableRoutes(database);
      await Promise.all(due.map((one) => sendOne(database, one, without)));
      return true;
    },
    async callHeartbeat() {
      const request: HttpRequest = { method: 'GET', url: settings.heartbeatUrl!, headers: {}, body: '' };
      const sent = await options.request(request, AbortSignal.any([options.signal()]));
      if (sent.error !== null) logger.warn({ err: sent.error }, 'the heartbeat address could not be called');
      return sent;
    },
  };
}

/** What does not heed the signal is no longer waited for. */
function orAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
