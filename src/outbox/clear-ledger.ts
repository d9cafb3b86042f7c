import type { Queryable } from '../store/index.js';

/** Empties the ledger, for tests of applications between one and the next; what a worker holds must be settled first. */
export async function clearLedger(tx: Queryable): Promise<void> {
  await tx.query('delete from postrider.email_queue');
  await tx.query('delete from postrider.email_facts');
  await tx.query('delete from postrider.email_attempts');
  await tx.query('delete from postrider.email_bodies');
  await tx.query('delete from postrider.emails');
}
