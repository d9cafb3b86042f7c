import {
  type Clock,
  inRounds,
  killPoint,
  type Lifecycle,
  type Logger,
  messageOf,
  newId,
  type Randomness,
} from '../kernel/index.js';
import type { Database } from '../store/index.js';
import type { ProcessFacts } from './alert.js';
import type { Thresholds } from './alert-defaults.js';
import {
  type AlertMessage,
  alertAction,
  alertPage,
  emailContent,
  slackBody,
  webhookBody,
} from './alert-message.js';
import { ALERTS, DATABASE_AWAY } from './alerts.js';
import { type Channel, type Episode, listEpisodes, noteOutage, noteSeen } from './episodes.js';
import { evaluateStore } from './evaluate-store.js';
import { claimNotifications, type DueNotification, settleNotification } from './notifications.js';
import { seenIn } from './seen-in.js';
import { readUnusableRoutes } from './unusable-routes.js';

/**
 * Watches for what stops mail and tells people, from any process of any role. What the store shows is looked at by one
 * process at a time; what a process knows of itself it notes itself. While the store is away a process keeps that one
 * alert in memory and tells it once for each process, since they share nothing then; the message ids are the same only
 * within a process. A message is sent at least once: a process killed after sending it leaves it to be sent again, under
 * the same id.
 */
export interface Alerts extends Lifecycle {
  /** The open episodes, then the latest that ended. */
  list(limit?: number): Promise<ShownEpisode[]>;
  /** Sends a message to every channel now, and calls the heartbeat address; says for each how it went. */
  test(): Promise<ChannelReport[]>;
}

/** With what to do about it, and where in the dashboard. */
export interface ShownEpisode extends Episode {
  action: string;
  page: string;
}

export interface ChannelReport {
  channel: Channel | 'heartbeat';
  ok: boolean;
  message: string;
}

export interface AlertSettings extends Thresholds {
  enabled: boolean;
  off: readonly string[] | null;
  webhookUrl: string | null;
  webhookSecret: string | null;
  slackUrl: string | null;
  emailTo: readonly string[] | null;
  heartbeatUrl: string | null;
  heartbeatMs: number;
  intervalMs: number;
}

export interface AlertOptions {
  settings: AlertSettings;
  database(): Promise<Database>;
  facts(): Promise<Omit<ProcessFacts, 'databaseAway'>>;
  /** One request to an address that may be private only where that is allowed; never throws. */
  request(to: HttpRequest): Promise<{ ok: boolean; error: string | null; retryAfterMs: number | null }>;
  sign(message: { id: string; at: Date; body: string; secret: string }): Record<string, string>;
  /** Past the queue, by a route that is not among those; throws where none took it. */
  sendEmail(email: AlertEmail, without: readonly string[]): Promise<void>;
  dashboardUrl: string | null;
  keepDays: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

export interface HttpRequest {
  method: 'GET' | 'POST';
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface AlertEmail {
  id: string;
  to: readonly string[];
  subject: string;
  text: string;
}

/** A round reads a few dozen rows by index; a busy server may take longer than a caller would wait. */
const LOOK_EXTRA_MS = 4000;
const LEASE_MS = 90_000;
const RETRY_MS = [5_000, 15_000, 60_000, 5 * 60_000, 15 * 60_000];
/** About a day: by then its end has usually come. */
const MOST_ATTEMPTS = 100;
const SHORTEST_PAUSE_MS = 50;

export function createAlerts(options: AlertOptions): Alerts {
  const { settings, clock, logger } = options;
  const watched = ALERTS.filter(({ id }) => !settings.off?.includes(id));
  const timing = { gapMs: settings.intervalMs * 3, clearMs: settings.intervalMs * 2 };
  const channels: Channel[] = [
    ...(settings.webhookUrl === null ? [] : (['webhook'] as const)),
    ...(settings.slackUrl === null ? [] : (['slack'] as const)),
    ...(settings.emailTo === null ? [] : (['email'] as const)),
  ];
  const outage = createOutage();

  async function round(): Promise<number> {
    try {
      await lookAndTell();
      await outage.over();
    } catch (error) {
      await outage.goesOn(messageOf(error));
    }
    return Math.max(SHORTEST_PAUSE_MS, settings.intervalMs);
  }

  async function lookAndTell(): Promise<void> {
    const database = (await options.database()).prompt(LOOK_EXTRA_MS);
    const facts = { ...(await options.facts()), databaseAway: null };
    const own = seenIn(
      watched,
      (alert) => (alert.reads === 'process' ? alert.findings(facts) : []),
      settings,
    );
    if (own.length > 0) {
      const opened = await database.transaction((tx) => noteSeen(tx, own, timing, channels));
      for (const one of opened) logger.error({ alert: one.alert, subject: one.subject }, one.sentence);
    }
    const looked = await evaluateStore(database, {
      ...{ watched, settings, timing, channels },
      keepDays: options.keepDays,
    });
    killPoint('alert:seen');
    for (const one of looked.turned)
      if (one.kind === 'begin') logger.error({ alert: one.alert, subject: one.subject }, one.sentence);
      else logger.info({ alert: one.alert, subject: one.subject }, 'alert is over');
    if (looked.heartbeat) await callHeartbeat();
    await sendDue(database);
  }

  async function sendDue(database: Database): Promise<void> {
    if (channels.length === 0) return;
    const due = await claimNotifications(database, channels, LEASE_MS);
    if (due.length === 0) return;
    const without = await readUnusableRoutes(database);
    await Promise.all(due.map((one) => sendOne(database, one, without)));
    // The end of an episode waits for its beginning, which may have gone just now.
    if (due.some(({ kind }) => kind === 'begin')) await sendDue(database);
  }

  async function sendOne(database: Database, due: DueNotification, without: string[]): Promise<void> {
    const { error, retryAfterMs } = await send(due.channel, due, without);
    killPoint('alert:sent');
    const wait = RETRY_MS[Math.min(due.attempt, RETRY_MS.length) - 1]! * (0.8 + options.random() * 0.4);
    const over = error === null || due.attempt >= MOST_ATTEMPTS;
    await settleNotification(database, due, {
      error,
      retryInMs: over ? null : Math.max(wait, retryAfterMs ?? 0),
    });
    if (error !== null)
      logger.warn({ channel: due.channel, alert: due.alert, err: error }, 'alert could not be sent');
  }

  async function send(
    channel: Channel,
    message: AlertMessage,
    without: readonly string[],
  ): Promise<{ error: string | null; retryAfterMs: number | null }> {
    try {
      if (channel === 'email') {
        const { subject, text } = emailContent(message, options.dashboardUrl);
        const id = `${message.episodeId}-${message.kind}`;
        await options.sendEmail({ id, to: settings.emailTo ?? [], subject, text }, without);
        return { error: null, retryAfterMs: null };
      }
      return await post(channel, message);
    } catch (error) {
      return { error: messageOf(error), retryAfterMs: null };
    }
  }

  async function post(channel: 'webhook' | 'slack', message: AlertMessage) {
    if (channel === 'slack') {
      const body = JSON.stringify(slackBody(message, options.dashboardUrl));
      return options.request({ method: 'POST', url: settings.slackUrl!, headers: {}, body });
    }
    const at = new Date(clock.now());
    const body = JSON.stringify(webhookBody(message, options.dashboardUrl, at));
    const id = `alert_${message.episodeId}_${message.kind}`;
    const headers = options.sign({ id, at, body, secret: settings.webhookSecret! });
    return options.request({ method: 'POST', url: settings.webhookUrl!, headers, body });
  }

  async function callHeartbeat(): Promise<{ ok: boolean; error: string | null }> {
    const { ok, error } = await options.request({
      method: 'GET',
      url: settings.heartbeatUrl!,
      headers: {},
      body: '',
    });
    if (!ok) logger.warn({ err: error }, 'the heartbeat address could not be called');
    return { ok, error };
  }

  /** The one alert that cannot be a row. Times are those of this process, measured without its wall clock. */
  function createOutage() {
    let began: { id: string; at: number; wallAt: string; reason: string } | null = null;
    const told = new Set<Channel>();

    const message = (): AlertMessage => ({
      episodeId: began!.id,
      kind: 'begin',
      alert: DATABASE_AWAY.id,
      subject: '',
      tenant: null,
      severity: DATABASE_AWAY.severity,
      sentence: sentenceOf(began!.reason),
      beganAt: began!.wallAt,
      endedAt: null,
    });

    return {
      async goesOn(reason: string): Promise<void> {
        began ??= {
          id: newId(),
          at: clock.monotonic(),
          wallAt: new Date(clock.now()).toISOString(),
          reason,
        };
        began.reason = reason;
        logger.warn({ err: reason }, 'alerts could not be looked at');
        if (!watched.includes(DATABASE_AWAY) || clock.monotonic() - began.at < settings.holdMs) return;
        for (const channel of channels.filter((one) => !told.has(one))) {
          const { error } = await send(channel, message(), []);
          if (error === null) told.add(channel);
          else logger.warn({ channel, alert: DATABASE_AWAY.id, err: error }, 'alert could not be sent');
        }
      },
      /** Written down as an episode, whose end is told as that of any other. */
      async over(): Promise<void> {
        if (began === null) return;
        const lasted = clock.monotonic() - began.at;
        if (watched.includes(DATABASE_AWAY) && lasted >= settings.holdMs) {
          const seen = {
            alert: DATABASE_AWAY.id,
            subject: '',
            tenant: null,
            severity: DATABASE_AWAY.severity,
            sentence: sentenceOf(began.reason),
            holdMs: 0,
          };
          const database = (await options.database()).prompt();
          await database.transaction((tx) =>
            noteOutage(tx, { ...seen, beganMsAgo: lasted, told: [...told] }, channels),
          );
        }
        began = null;
        told.clear();
      },
    };
  }

  const rounds = inRounds({
    round,
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'alerts could not be looked at');
      return settings.intervalMs;
    },
    firstAfterMs: settings.intervalMs,
  });

  return {
    start: async () => {
      if (settings.enabled) await rounds.start();
    },
    stop: (stopOptions) => rounds.stop(stopOptions),
    async list(limit = 50) {
      const episodes = await listEpisodes((await options.database()).prompt(), limit);
      return episodes.map((one) => ({ ...one, action: alertAction(one.alert), page: alertPage(one.alert) }));
    },
    async test() {
      const at = new Date(clock.now()).toISOString();
      const message: AlertMessage = {
        episodeId: newId(),
        kind: 'begin',
        alert: 'test',
        subject: '',
        tenant: null,
        severity: 'ticket',
        sentence: 'This is a test. Nothing is wrong.',
        beganAt: at,
        endedAt: null,
      };
      const reports: ChannelReport[] = [];
      for (const channel of channels) {
        const { error } = await send(channel, message, []);
        reports.push({ channel, ok: error === null, message: error ?? 'sent' });
      }
      if (settings.heartbeatUrl !== null) {
        const { ok, error } = await callHeartbeat();
        reports.push({ channel: 'heartbeat', ok, message: error ?? 'called' });
      }
      return reports;
    },
  };
}

function sentenceOf(reason: string): string {
  if (DATABASE_AWAY.reads !== 'process') return reason;
  const facts = { worker: null, engine: null, bus: null, accepting: null, missedSchedules: [] };
  return DATABASE_AWAY.findings({ ...facts, databaseAway: reason })[0]?.sentence ?? reason;
}
