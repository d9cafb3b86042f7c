import type { Logger } from '../../kernel/index.js';
import { LEASE_LOST, notBegun, STOPPING, unsent } from '../our-side.js';
import { beginAttempt, type Provider } from '../provider.js';

/**
 * Sends nothing: writes one line with the email's id and how many it would have gone to. Never a
 * body, a subject or an address.
 */
export function createConsoleProvider({ logger }: { logger: Logger }): Provider {
  return {
    name: 'console',
    callsBegin: true,

    async send(email, attempt) {
      if (attempt.signal.aborted) return unsent(STOPPING, 'the process is stopping');
      if (!(await beginAttempt(attempt))) return notBegun();
      if (!attempt.mayDeliver()) return unsent(LEASE_LOST, 'the claim may have been taken over');
      logger.info(
        { outboxId: email.id, provider: 'console', recipients: email.recipients.length },
        'email written to the console',
      );
      return { kind: 'sent', providerMessageId: `console-${email.id}`, trace: { stage: 'reply' } };
    },

    async testConnection() {
      return { ok: true, message: 'the console needs no connection' };
    },

    async close() {},
  };
}
