import { inSpan } from '../kernel/index.js';
import type { OpenedEmail } from '../outbox/index.js';
import type { AttemptTrail } from './attempt-trail.js';

/**
 * One attempt as a span in the trace its email was accepted in, with the provider and how it ended; `released` where it
 * was given back. What a provider's own instrumentation makes lies within it.
 */
export function traceAttempt(
  email: OpenedEmail,
  trail: AttemptTrail,
  work: () => Promise<void>,
): Promise<void> {
  return inSpan(
    {
      name: 'postrider attempt',
      kind: 'consumer',
      parent: email.message.traceparent,
      attributes: {
        'messaging.system': 'postrider',
        'messaging.operation.type': 'process',
        'messaging.message.id': email.id,
        'postrider.request_id': email.requestId,
        'postrider.company_id': email.tenant,
        'postrider.email.type': email.type ?? undefined,
        'postrider.attempt': email.attempt,
      },
    },
    async (span) => {
      await work();
      const { status = 'released', verdict, by } = trail.told ?? {};
      span?.set({
        'postrider.outcome': status,
        'postrider.route': by?.name ?? email.route,
        'postrider.provider': by?.provider.name,
        'postrider.provider_message_id': verdict?.providerMessageId ?? undefined,
      });
      if (verdict?.errorCode) span?.fail(verdict.errorCode);
    },
  );
}
