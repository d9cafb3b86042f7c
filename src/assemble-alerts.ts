import type { AcceptFaults } from './accept-faults.js';
import { createAlertEmails } from './alert-emails.js';
import { type AlertOptions, type Alerts, createAlerts } from './alerts/index.js';
import type { Config } from './config.js';
import { postWebhook, signWebhook } from './events/index.js';
import type { Clock, Logger, Mailbox } from './kernel/index.js';
import { createMissedSchedules } from './missed-schedules.js';
import type { RouteTable } from './providers/index.js';
import type { Schedules } from './schedules/index.js';
import type { Database } from './store/index.js';

/** Alerts put together for one process: what it knows of itself, and the ways to people that do not use the queue. */
export interface AlertParts {
  database: () => Promise<Database>;
  facts(): Pick<ReturnType<AlertOptions['facts']>, 'worker' | 'engine' | 'bus'>;
  faults: AcceptFaults;
  schedules: Pick<Schedules, 'list'>;
  routes: RouteTable;
  sender: Mailbox | null;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

export function assembleAlerts(config: Config, parts: AlertParts): Alerts {
  const { clock, logger, routes, sender } = parts;
  const { allowPrivate, timeoutMs } = config.webhooks;
  const missedSchedules = createMissedSchedules(parts.schedules, clock);
  return createAlerts({
    settings: config.alerts,
    database: parts.database,
    facts: () => ({ ...parts.facts(), accepting: parts.faults.recent(), missedSchedules }),
    async request({ url, ...message }, signal) {
      const { httpStatus, error, retryAfterMs } = await postWebhook(url, message, {
        ...{ allowPrivate, timeoutMs, clock, signal },
      });
      const ok = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
      return { error: ok ? null : (error ?? `answered ${httpStatus}`), retryAfterMs };
    },
    sign: ({ secret, ...message }) => signWebhook({ ...message, secrets: [secret] }),
    sendEmail: createAlertEmails({ routes: routes.routes, sender, clock }),
    dashboardUrl: config.unsubscribe.publicUrl,
    keepDays: config.retention.logDays,
    ...{ clock, random: parts.random, logger },
  });
}
