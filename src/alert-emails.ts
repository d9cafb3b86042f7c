import type { AlertOptions } from './alerts/index.js';
import type { Clock, Mailbox } from './kernel/index.js';
import { messageIdOf } from './pipeline/index.js';
import type { Outcome, Route } from './providers/index.js';

/**
 * An email about an alert goes past the queue, by one usable route after the other until one takes it, each time with the
 * same Message-ID. A route has ROUTE_MS, so that in the time for one message three silent ones are tried; the next attempt
 * begins behind them.
 */
export interface AlertEmailParts {
  routes: ReadonlyArray<Pick<Route, 'name' | 'provider'>>;
  sender: Mailbox | null;
  clock: Pick<Clock, 'now'>;
  routeMs?: number;
}

const ROUTE_MS = 18_000;
const ROUTES_AT_ONCE = 3;

export function createAlertEmails(parts: AlertEmailParts): AlertOptions['sendEmail'] {
  const { routes, sender, clock, routeMs = ROUTE_MS } = parts;
  return async (email, { without, attempt, signal }) => {
    if (sender === null) throw new Error('there is no default sender: set SMTP_FROM_EMAIL');
    const usable = routes.filter(({ name }) => !without.includes(name));
    const first = usable.length === 0 ? 0 : ((attempt - 1) * ROUTES_AT_ONCE) % usable.length;
    const turn = [...usable.slice(first), ...usable.slice(0, first)].slice(0, ROUTES_AT_ONCE);
    const failures: string[] = [];
    for (const { name, provider } of turn) {
      signal.throwIfAborted();
      const limit = AbortSignal.any([signal, AbortSignal.timeout(routeMs)]);
      const outcome = await withinLimit(
        provider.send(
          {
            id: email.id,
            messageId: messageIdOf(email.id, sender.address),
            date: new Date(clock.now()),
            from: sender,
            ...{ replyTo: [], cc: [], bcc: [], headers: { 'Auto-Submitted': 'auto-generated' } },
            attachments: [],
            to: email.to.map((address) => ({ address })),
            recipients: [...email.to],
            ...{ subject: email.subject, text: email.text, html: email.html },
          },
          { sendDeadlineAt: clock.now() + routeMs, signal: limit, mayDeliver: () => true },
        ),
        limit,
      );
      if (outcome !== null && outcome.kind === 'sent') return;
      failures.push(`${name}: ${outcome?.message ?? 'no answer'}`);
    }
    throw new Error(failures.length > 0 ? failures.join('; ') : 'every route fails or is paused');
  };
}

/** null: no answer in time, also of a provider that does not heed the signal. */
function withinLimit(outcome: Promise<Outcome>, limit: AbortSignal): Promise<Outcome | null> {
  return new Promise((resolve, reject) => {
    const onAbort = () => resolve(null);
    limit.addEventListener('abort', onAbort, { once: true });
    outcome.then(resolve, reject).finally(() => limit.removeEventListener('abort', onAbort));
  });
}
