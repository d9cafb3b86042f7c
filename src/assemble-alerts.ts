import type { AcceptFaults } from './accept-faults.js';
import { type AlertEmail, type AlertOptions, type Alerts, createAlerts } from './alerts/index.js';
import type { Config } from './config.js';
import { postWebhook, signWebhook } from './events/index.js';
import type { Clock, Logger, Mailbox } from './kernel/index.js';
import { createMissedSchedules } from './missed-schedules.js';
import { messageIdOf } from './pipeline/index.js';
import type { RouteTable } from './providers/index.js';
import type { Schedules } from './schedules/index.js';
import type { Database } from './store/index.js';

/** Alerts put together for one process: what it knows of itself, and the ways to people that do not use the queue. */
export interface AlertParts {
  database: () => Promise<Database>;
  facts(): Pick<Awaited<ReturnType<AlertOptions['facts']>>, 'worker' | 'engine' | 'bus'>;
  faults: AcceptFaults;
  schedules: Pick<Schedules, 'list'>;
  routes: RouteTable;
  sender: Mailbox | null;
  clock: Clock;
  random: () => number;
  logger: Logger;
}

const SEND_MS = 30_000;

export function assembleAlerts(config: Config, parts: AlertParts): Alerts {
  const { clock, logger } = parts;
  const { allowPrivate, timeoutMs } = config.webhooks;
  const missed = createMissedSchedules(parts.schedules, { clock, logger });
  return createAlerts({
    settings: config.alerts,
    database: parts.database,
    facts: async () => ({
      ...parts.facts(),
      accepting: parts.faults.recent(),
      missedSchedules: await missed(),
    }),
    async request({ url, ...message }) {
      const { httpStatus, error, retryAfterMs } = await postWebhook(url, message, {
        ...{ allowPrivate, timeoutMs, clock },
      });
      const ok = httpStatus !== null && httpStatus >= 200 && httpStatus < 300;
      return { ok, error: ok ? null : (error ?? `answered ${httpStatus}`), retryAfterMs };
    },
    sign: ({ secret, ...message }) => signWebhook({ ...message, secrets: [secret] }),
    sendEmail: (email, without) => sendByRoute(parts, email, without),
    dashboardUrl: config.unsubscribe.publicUrl,
    keepDays: config.retention.logDays,
    ...{ clock, random: parts.random, logger },
  });
}

/** Each route in order until one takes it; a repeat has the same Message-ID. */
async function sendByRoute(
  { routes, sender, clock }: AlertParts,
  email: AlertEmail,
  without: readonly string[],
): Promise<void> {
  if (sender === null) throw new Error('there is no default sender: set SMTP_FROM_EMAIL');
  const usable = routes.routes.filter(({ name }) => !without.includes(name));
  const failures: string[] = [];
  for (const { name, provider } of usable) {
    const outcome = await provider.send(
      {
        id: email.id,
        messageId: messageIdOf(email.id, sender.address),
        date: new Date(clock.now()),
        from: sender,
        ...{ replyTo: [], cc: [], bcc: [], headers: { 'Auto-Submitted': 'auto-generated' }, attachments: [] },
        to: email.to.map((address) => ({ address })),
        recipients: [...email.to],
        subject: email.subject,
        text: email.text,
        html: `<pre style="white-space:pre-wrap">${escaped(email.text)}</pre>`,
      },
      {
        sendDeadlineAt: clock.now() + SEND_MS,
        signal: AbortSignal.timeout(SEND_MS),
        mayDeliver: () => true,
      },
    );
    if (outcome.kind === 'sent') return;
    failures.push(`${name}: ${outcome.message}`);
  }
  throw new Error(failures.length > 0 ? failures.join('; ') : 'every route fails or is paused');
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
