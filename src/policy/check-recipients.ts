import { findUnknownRecipients, type NamedRecipient } from '../recipients/index.js';
import type { Queryable } from '../store/index.js';

/** The RECIPIENT rule for emails that name a recipient: returns those whose recipient is not there. */
export async function findMissingRecipients<Ref extends NamedRecipient>(
  database: Queryable,
  refs: readonly Ref[],
): Promise<Ref[]> {
  return findUnknownRecipients(database, refs);
}
