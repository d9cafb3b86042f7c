import { findRecipients, type RecipientRef, recipientKey } from '../recipients/index.js';
import type { Queryable } from '../store/index.js';

/** The RECIPIENT rule for emails that name a recipient: returns those whose recipient is not there. */
export async function findMissingRecipients<Ref extends RecipientRef>(
  database: Queryable,
  refs: readonly Ref[],
): Promise<Ref[]> {
  const found = await findRecipients(database, refs);
  return refs.filter((ref) => !found.has(recipientKey(ref)));
}
