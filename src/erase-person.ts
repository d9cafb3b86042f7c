import { forgetContacts } from './access/index.js';
import { eraseDeliveries, eraseOwedEvents } from './events/index.js';
import { eraseEmails, PERSON, personOf } from './outbox/index.js';
import { type CountedPerson, forgetKeysOf } from './policy/index.js';
import { eraseRecipients, findPersonToErase, forgetSuppressedAddresses } from './recipients/index.js';
import type { Database } from './store/index.js';

/**
 * Takes one person out of everything Postrider keeps: their emails, their part in emails to several, their row among
 * the recipients, answers kept for their keys, what limits counted for them. What a tenant must not write to again stays as a hash alone. Goes in
 * small steps and can be repeated; it is complete when nothing of theirs is in flight any more.
 */
export interface ErasureRequest {
  /** One of the two. An external id is also looked for as `userId`. */
  email?: string;
  externalId?: string;
  /** Only in this company; needed with externalId, which means someone else elsewhere. */
  companyId?: string;
}

export interface ErasureReport {
  /** Emails gone with everything about them. */
  emails: number;
  /** Of those, how many were taken back because they still waited. */
  cancelled: number;
  /** Emails that others have a part in, kept without the person. */
  redacted: number;
  recipients: number;
  idempotencyKeys: number;
  /** In flight at the moment, or waiting for others with the person in their content. */
  left: number;
  /** False while something is left: run it again. */
  complete: boolean;
}

export interface EraseOptions {
  /** How many emails were looked at so far. */
  onProgress?(looked: number): void;
}

export interface EraseParts {
  database: Database;
  /** Removes what limits have counted for them. */
  forgetRecipient(
    database: Database,
    person: Pick<CountedPerson, 'tenant' | 'addresses' | 'users'>,
  ): Promise<number>;
}

export async function erasePerson(
  { database, forgetRecipient }: EraseParts,
  request: ErasureRequest,
  { onProgress }: EraseOptions = {},
): Promise<ErasureReport> {
  const { tenant, ...by } = readRequest(request);
  const known = await findPersonToErase(database, tenant, by);
  if (by.email !== undefined) known.addresses.push(by.email);
  if (by.externalId !== undefined && tenant !== null)
    known.externalIds.push({ tenant, externalId: by.externalId });
  const person = personOf(tenant, known.addresses, known.externalIds);
  let idempotencyKeys = 0;
  const emails = await eraseEmails(database, person, {
    onStep: onProgress,
    onGone: async (emailIds) => {
      idempotencyKeys += await forgetKeysOf(database, { emailIds });
      await eraseDeliveries(database, { emailIds });
      await eraseOwedEvents(database, { emailIds });
    },
  });
  idempotencyKeys += await forgetKeysOf(database, { tenant, pattern: person.pattern });
  await eraseDeliveries(database, { tenant, pattern: person.pattern });
  await eraseOwedEvents(database, { tenant, pattern: person.pattern });
  await forgetRecipient(database, {
    tenant,
    addresses: known.addresses,
    users: known.externalIds,
  });
  // Last: what is known of them is what an interrupted run needs to go on.
  if (emails.left === 0) await forgetSuppressedAddresses(database, tenant, known.addresses);
  await forgetContacts(database, tenant, known.addresses);
  const recipients = emails.left > 0 ? 0 : await eraseRecipients(database, tenant, known);
  return { ...emails, recipients, idempotencyKeys, complete: emails.left === 0 };
}

function readRequest(request: ErasureRequest): {
  tenant: string | null;
  email?: string;
  externalId?: string;
} {
  const { companyId, ...by } = PERSON.read(request, '');
  const tenant = companyId ?? null;
  return 'email' in by ? { tenant, email: by.email.address } : { tenant, externalId: by.externalId };
}
