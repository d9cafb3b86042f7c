import { type Clock, type Logger, newId } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import type { OutageAlert } from './alert.js';
import type { AlertMessage } from './alert-message.js';
import { type Channel, noteOutage } from './episodes.js';
import type { AlertSender } from './send-alerts.js';

/**
 * The episode of an alert that cannot be a row, because no row can be written: kept in the memory of this process, which
 * sends it once by each channel. When rows can be written again it becomes an episode whose end is sent like any other.
 * Its times are measured without the clock that is set.
 */
export interface Outage {
  goesOn(reason: string): Promise<void>;
  over(): Promise<void>;
}

export interface OutageOptions {
  alert: OutageAlert;
  channels: readonly Channel[];
  /** How long it must last before it is sent. */
  holdMs: number;
  sender: AlertSender;
  database(): Promise<Database>;
  clock: Clock;
  logger: Logger;
}

export function createOutage(options: OutageOptions): Outage {
  const { alert, channels, holdMs, sender, clock, logger } = options;
  let began: { id: string; at: number; wallAt: string } | null = null;
  let sentence = '';
  let logged = false;
  const sent = new Set<Channel>();

  async function sendBy(channel: Channel, id: string, beganAt: string): Promise<void> {
    const message: AlertMessage = {
      episodeId: id,
      kind: 'begin',
      alert: alert.id,
      subject: '',
      tenant: null,
      severity: alert.severity,
      sentence,
      beganAt,
      endedAt: null,
    };
    const { error } = await sender.send(channel, message, { without: [], attempt: 1 });
    if (error === null) sent.add(channel);
    else logger.warn({ channel, alert: alert.id, err: error }, 'alert could not be sent');
  }

  return {
    async goesOn(reason) {
      began ??= { id: newId(), at: clock.monotonic(), wallAt: new Date(clock.now()).toISOString() };
      sentence = alert.sentence(reason);
      const { id, at, wallAt } = began;
      if (clock.monotonic() - at < holdMs) return;
      if (!logged) logger.error({ alert: alert.id, concerns: '' }, sentence);
      logged = true;
      await Promise.all(
        channels.filter((one) => !sent.has(one)).map((channel) => sendBy(channel, id, wallAt)),
      );
    },
    async over() {
      if (began === null) return;
      const beganMsAgo = clock.monotonic() - began.at;
      if (beganMsAgo >= holdMs) {
        const database = (await options.database()).prompt();
        const { id, severity } = alert;
        const outage = { alert: id, subject: '', tenant: null, severity, sentence, holdMs: 0 };
        await database.transaction((tx) =>
          noteOutage(tx, { ...outage, beganMsAgo, told: [...sent] }, channels),
        );
      }
      began = null;
      logged = false;
      sent.clear();
    },
  };
}
