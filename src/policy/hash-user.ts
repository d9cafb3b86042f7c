import { hashAddress } from '../kernel/index.js';

/** Under what an email of a user is counted. In hex, because the hash ignores case and ids of users do not; no address has a space. */
export function hashUser(key: string, tenant: string, userId: string): string {
  return hashAddress(key, tenant, `user ${Buffer.from(userId).toString('hex')}`).toString('hex');
}
