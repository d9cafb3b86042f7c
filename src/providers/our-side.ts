import type { Deferred } from './provider.js';

/**
 * Reasons for not sending that no server has a part in: the process stops, the claim may be another's,
 * no connection was free. They cost the email no attempt.
 */
export const STOPPING = 'STOPPING';
export const LEASE_LOST = 'LEASE_LOST';
export const POOL_TIMEOUT = 'POOL_TIMEOUT';
/** It was cancelled or taken over before the attempt began, or could not be marked as begun. */
export const CLAIM_LOST = 'CLAIM_LOST';

export const OUR_SIDE: ReadonlySet<string> = new Set([STOPPING, LEASE_LOST, POOL_TIMEOUT, CLAIM_LOST]);

export function notBegun(): Deferred {
  return unsent(CLAIM_LOST, 'the email was cancelled or taken over, or could not be marked as begun');
}

export function unsent(code: string, message: string, stage = 'connect'): Deferred {
  return {
    kind: 'deferred',
    scope: 'route',
    code,
    category: 'TRANSIENT_ERROR',
    message,
    trace: { stage },
    uncounted: true,
  };
}
