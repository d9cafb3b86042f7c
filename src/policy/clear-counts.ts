import type { Queryable } from '../store/index.js';

/** Forgets what was counted and remembered of emails, for tests of applications; limits and quotas stay as they are. */
export async function clearCounts(tx: Queryable): Promise<void> {
  await tx.query('delete from postrider.idempotency_keys');
  await tx.query('delete from postrider.rate_limit_slots');
  await tx.query('update postrider.quota_shares set used = 0');
}
