import type { NewEmail } from '../outbox/index.js';
import type { Addressed, SuppressionReader } from '../recipients/index.js';
import type { Queryable } from '../store/index.js';

/**
 * Emails for which nobody is left to write to are accepted and end at once: in the log, without ever being queued.
 * Where only some may not be written to, the worker leaves those out, since it asks again before it sends.
 */
export async function markSuppressed(
  tx: Queryable,
  suppressions: SuppressionReader,
  emails: readonly NewEmail[],
): Promise<void> {
  const found = await suppressions.find(tx, emails.map(asAddressed));
  if (found.size === 0) return;
  for (const email of emails) {
    const suppressed = found.get(email.id) ?? [];
    if (suppressed.length < new Set(addressesOf(email)).size) continue;
    email.suppressed = { reason: suppressed[0]!.reason, recipients: suppressed, at: 'accept' };
  }
}

function asAddressed(email: NewEmail): Addressed {
  const { id, tenant, category, essential } = email;
  return { id, tenant, category, essential, addresses: addressesOf(email) };
}

function addressesOf({ to, cc, bcc }: NewEmail): string[] {
  const addresses: string[] = [];
  for (const list of [to, cc, bcc]) for (const { address } of list) addresses.push(address);
  return addresses;
}
