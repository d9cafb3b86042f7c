import type { ReservedName } from '../kernel/index.js';

/** Names kept for what may be sent how often. */
export const policyReserved: readonly ReservedName[] = [
  {
    name: 'EMAIL_RATE_LIMIT_ENABLED',
    controls: 'Whether the limits per recipient and type apply (`true`).',
  },
];
