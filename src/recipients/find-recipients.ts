import type { Queryable } from '../store/index.js';

/** Which of these recipients exist, belong to the tenant, are not deleted, and have that address. */
export interface RecipientRef {
  recipientId: string;
  tenant: string;
  email: string;
}

export async function findRecipients(
  database: Queryable,
  refs: readonly RecipientRef[],
): Promise<Set<string>> {
  if (refs.length === 0) return new Set();
  const { rows } = await database.query<{ id: string; tenant: string; email: string }>(FIND, [
    refs.map((ref) => ref.recipientId),
  ]);
  const known = new Map(rows.map((row) => [row.id, row]));
  const found = refs.filter((ref) => {
    const row = known.get(ref.recipientId);
    return row && row.tenant === ref.tenant && row.email.toLowerCase() === ref.email.toLowerCase();
  });
  return new Set(found.map(recipientKey));
}

export function recipientKey(ref: RecipientRef): string {
  return `${ref.recipientId} ${ref.tenant} ${ref.email}`;
}

const FIND = {
  name: 'recipients_find',
  text: 'select id, tenant, email from postrider.recipients where id = any($1::uuid[]) and deleted_at is null',
};
