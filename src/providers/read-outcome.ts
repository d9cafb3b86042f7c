import type { Outcome, Sent } from './provider.js';

/**
 * What a provider returned, as an outcome. An application's own provider may return anything: what says it was sent
 * counts as sent, whatever else it lacks; what says nothing we know is undefined, because the email may be out.
 */
export function readOutcome(returned: unknown): Outcome | undefined {
  if (typeof returned !== 'object' || returned === null || !('kind' in returned)) return undefined;
  if (returned.kind === 'sent') return isWhole(returned) ? returned : { ...UNSAID, ...(returned as Sent) };
  return isFailure(returned) ? returned : undefined;
}

const UNSAID = { providerMessageId: null, trace: { stage: 'unknown' } };

function isWhole(sent: object): sent is Sent {
  const { providerMessageId, trace } = sent as Partial<Sent>;
  return providerMessageId !== undefined && trace !== undefined;
}

const FAILURES = ['deferred', 'rejected', 'unknown', 'misconfigured'];

function isFailure(returned: object): returned is Outcome {
  const { kind, scope, code, category, message, trace } = returned as Record<string, unknown>;
  return (
    FAILURES.includes(kind as string) &&
    [scope, code, category, message].every((part) => typeof part === 'string') &&
    typeof trace === 'object' &&
    trace !== null
  );
}
