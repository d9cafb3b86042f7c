import { createHmac } from 'node:crypto';

/** An address as a keyed hash, another one for every tenant; case is ignored, as recipients are compared. */
export function hashAddress(key: string, tenant: string, address: string): Buffer {
  return createHmac('sha256', key).update(`${tenant}\n${address.toLowerCase()}`).digest();
}
