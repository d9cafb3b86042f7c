import { OUR_SIDE } from './our-side.js';
import type { Deferred, Misconfigured, Outcome } from './provider.js';
import type { Health } from './route-circuit.js';

/**
 * What an outcome says about the route it came by, as opposed to the email. An answer about a
 * recipient or a message proves that the route works.
 */
export function healthOf(outcome: Outcome): Health {
  if (outcome.kind === 'sent') return 'good';
  // A refused account is paused or failed; neither the circuit nor its probe has a part in that.
  if (isOurSide(outcome) || outcome.kind === 'misconfigured') return 'neutral';
  if (outcome.scope === 'route' || outcome.scope === 'account') return 'bad';
  return outcome.kind === 'unknown' ? 'neutral' : 'good';
}

/** Certainly not delivered, and not because of the email: another route may do better. */
export function mayFailOver(outcome: Outcome): outcome is Deferred | Misconfigured {
  if (outcome.kind === 'misconfigured') return true;
  if (outcome.kind !== 'deferred') return false;
  return (outcome.scope === 'route' || outcome.scope === 'account') && !isOurSide(outcome);
}

/** The account said until when it takes nothing, as with a spent quota. */
export function closedUntil(outcome: Outcome): number | null {
  const account = outcome.kind === 'deferred' && outcome.scope === 'account';
  return account && outcome.retryAt !== undefined ? outcome.retryAt : null;
}

/** Fewer at once would have gone better. */
export function isCrowded(outcome: Outcome): boolean {
  if (outcome.kind !== 'deferred' || isOurSide(outcome)) return false;
  const { responseCode, response = '' } = outcome.trace;
  return (
    responseCode === 421 ||
    (outcome.scope === 'route' && outcome.category === 'QUOTA_ERROR') ||
    /too many .{0,30}(?:connections|sessions)/i.test(`${outcome.message} ${response}`)
  );
}

function isOurSide(outcome: Outcome): boolean {
  return outcome.kind === 'deferred' && OUR_SIDE.has(outcome.code);
}
