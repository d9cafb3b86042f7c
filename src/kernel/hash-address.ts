import { createHmac } from 'node:crypto';

/**
 * An address as it is counted and suppressed: a keyed hash, a different one for every tenant. Case is ignored, as
 * recipients are compared. One function with one key, so that what is known of a person is found by one hash.
 */
export function hashAddress(key: string, tenant: string, address: string): Buffer {
  return createHmac('sha256', key).update(`${tenant}\n${address.toLowerCase()}`).digest();
}

/** The key of those hashes. Without the setting it is no secret: anyone who reads the database can test guesses. */
export function addressHashKey(setting: string | null): string {
  return setting ?? WITHOUT_KEY;
}

/** Suppressions were always hashed with it, and outlive their addresses: with another key they would not be found. */
const WITHOUT_KEY = 'postrider';
