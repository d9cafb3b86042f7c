import { createHmac } from 'node:crypto';

/**
 * An address as it is counted: a keyed hash, another one for every tenant. Case is ignored, as recipients are
 * compared, so that Ann@ and ann@ meet the same limit.
 */
export function hashAddress(key: string, tenant: string, address: string): string {
  return createHmac('sha256', key).update(`${tenant}\n${address.toLowerCase()}`).digest('hex');
}
