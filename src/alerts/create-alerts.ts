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
import { type Database, isStoreAway } from '../store/index.js';
import type { LateType, ProcessFacts } from './alert.js';
import type { Thresholds } from './alert-defaults.js';
import { type AlertMessage, alertAction, alertPage } from './alert-message.js';
import { ALERTS, ALERTS_FAIL, DATABASE_AWAY } from './alerts.js';
import { type Channel, type Episode, goOn, listEpisodes, noteSeen, type Turned } from './episodes.js';
import { evaluateStore } from './evaluate-store.js';
import { createLateDeliveries, type LateDeliveries } from './late-deliveries.js';
import { lookAtOwn } from './look-at-alerts.js';
import { createOutage } from './outage.js';
import { createAlertSender, type HowToSend, type Sent } from './send-alerts.js';

/**
 * Watches for what stops mail and tells people, from any process of any role. What the store shows is looked at by one
 * process at a time; what a process knows of itself it notes itself. Looking and sending are rounds of their own, so that
 * a receiver that is silent keeps nothing from being seen. While no row can be written a process keeps that one alert in
 * memory and tells it once for each process, since they share nothing then.
 */
export interface Alerts extends Lifecycle {
  /** The open episodes, then the latest that ended. */
  list(limit?: number): Promise<ShownEpisode[]>;
  /** Sends a message to every channel now, and calls the heartbeat address; says for each how it went. */
  test(): Promise<ChannelReport[]>;
  /** An email that its provider has. */
  noteDelivered: LateDeliveries['note'];
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
  facts(): Omit<ProcessFacts, 'lateTypes'>;
  /** One request to an address that may be private only where that is allowed; never throws. */
  request(to: HttpRequest, signal: AbortSignal): Promise<Sent>;
  sign(message: { id: string; at: Date; body: string; secret: string }): Record<string, string>;
  /** Past the queue, by a route that is not among those left out; throws where none took it. */
  sendEmail(email: AlertEmail, how: HowToSend & { signal: AbortSignal }): Promise<void>;
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
  html: string;
}

/** A round reads a few dozen rows by index; a busy server may take longer than a caller would wait. */
const LOOK_EXTRA_MS = 4000;
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
  let ending = new AbortController();
  const { request, sign, sendEmail, dashboardUrl, random } = options;
  const sender = createAlertSender({
    ...{ settings, channels, request, sign, sendEmail, dashboardUrl },
    ...{ signal: () => ending.signal, clock, random, logger },
  });
  const deliveries = createLateDeliveries(settings, clock);
  const { holdMs } = settings;
  const { database } = options;
  const outages = [DATABASE_AWAY, ALERTS_FAIL]
    .filter((alert) => watched.includes(alert))
    .map((alert) => ({
      alert,
      outage: createOutage({ alert, channels, holdMs, sender, database, clock, logger }),
    }));

  async function look(stopping: AbortSignal): Promise<number> {
    try {
      await lookOnce();
      for (const { outage } of outages) await outage.over();
    } catch (error) {
      if (stopping.aborted) return 0;
      const reason = messageOf(error);
      logger.warn({ err: reason }, 'alerts could not be looked at');
      const which = isStoreAway(error) || !(await answers()) ? DATABASE_AWAY : ALERTS_FAIL;
      await outages.find(({ alert }) => alert === which)?.outage.goesOn(reason);
    }
    return Math.max(SHORTEST_PAUSE_MS, settings.intervalMs);
  }

  /** Whether the database can be used at all: then it is the rows of alerts that cannot be read or written. */
  async function answers(): Promise<boolean> {
    try {
      await (await options.database()).prompt().query('select 1');
      return true;
    } catch (error) {
      logger.debug({ err: messageOf(error) }, 'the database does not answer');
      return false;
    }
  }

  async function lookOnce(): Promise<void> {
    const looking = (await options.database()).prompt(LOOK_EXTRA_MS);
    const lateTypes: LateType[] = deliveries.late();
    const own = await lookAtOwn(watched, { ...options.facts(), lateTypes }, settings);
    if (own.seen.length > 0 || own.unseen.length > 0)
      report(
        await looking.transaction(async (tx) => {
          await goOn(tx, own.unseen);
          return noteSeen(tx, own.seen, timing, channels);
        }),
      );
    killPoint('alert:noted');
    const askedAt = clock.monotonic();
    const evaluated = await evaluateStore(looking, {
      ...{ watched, settings, timing, channels },
      keepDays: options.keepDays,
    });
    killPoint(evaluated.turned.length > 0 ? 'alert:turned' : 'alert:seen');
    deliveries.setTime(evaluated.now, askedAt);
    for (const id of [...own.unseen, ...evaluated.unseen])
      logger.warn({ alert: id }, 'alert could not be looked at');
    report(evaluated.turned);
    if (!evaluated.heartbeat) return;
    beatDue = true;
    beating.ring();
  }

  function report(turned: readonly Turned[]): void {
    // The logger hides what is called subject: it takes it for that of an email.
    for (const { alert, subject, sentence, kind } of turned)
      if (kind === 'begin') logger.error({ alert, concerns: subject }, sentence);
      else logger.info({ alert, concerns: subject }, 'alert is over');
    if (turned.length > 0) sending.ring();
  }

  const looking = inRounds({
    round: look,
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'alerts could not be looked at');
      return settings.intervalMs;
    },
    firstAfterMs: settings.intervalMs,
  });

  const sending = inRounds({
    async round() {
      const store = (await options.database()).prompt(LOOK_EXTRA_MS);
      // The end of an episode waits for its beginning, which may have gone just now.
      return (await sender.sendDue(store)) ? 0 : Math.max(SHORTEST_PAUSE_MS, settings.intervalMs);
    },
    onFailure(error) {
      // A store that is away is found, and told, by looking.
      logger.warn({ err: messageOf(error) }, 'messages about alerts could not be sent');
      return settings.intervalMs;
    },
    firstAfterMs: settings.intervalMs,
  });

  let beatDue = false;
  const beating = inRounds({
    async round() {
      if (beatDue) {
        beatDue = false;
        await sender.callHeartbeat();
      }
      return settings.heartbeatMs;
    },
    onFailure(error) {
      logger.warn({ err: messageOf(error) }, 'the heartbeat address could not be called');
      return settings.intervalMs;
    },
  });

  return {
    async start() {
      if (!settings.enabled) return;
      if (ending.signal.aborted) ending = new AbortController();
      await Promise.all([looking, sending, beating].map((part) => part.start()));
    },
    async stop({ deadlineMs = 0 } = {}) {
      const stopping = ending;
      const timer = setTimeout(() => stopping.abort(new Error('the process stops')), deadlineMs);
      await Promise.all([looking, sending, beating].map((part) => part.stop()));
      clearTimeout(timer);
    },
    noteDelivered: deliveries.note,
    async list(limit = 50) {
      const episodes = await listEpisodes((await options.database()).prompt(), limit);
      return episodes.map((one) => ({ ...one, action: alertAction(one.alert), page: alertPage(one) }));
    },
    async test() {
      const message: AlertMessage = {
        episodeId: newId(),
        kind: 'begin',
        alert: 'test',
        subject: '',
        tenant: null,
        severity: 'ticket',
        sentence: 'This is a test. Nothing is wrong.',
        beganAt: new Date(clock.now()).toISOString(),
        endedAt: null,
      };
      const reports: ChannelReport[] = [];
      for (const channel of channels) {
        const { error } = await sender.send(channel, message, { without: [], attempt: 1 });
        reports.push({ channel, ok: error === null, message: error ?? 'sent' });
      }
      if (settings.heartbeatUrl !== null) {
        const { error } = await sender.callHeartbeat();
        reports.push({ channel: 'heartbeat', ok: error === null, message: error ?? 'called' });
      }
      return reports;
    },
  };
}
