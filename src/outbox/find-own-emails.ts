import type { Queryable } from '../store/index.js';

/** Which of these ids name emails of the tenant. Another tenant's and unknown ones are alike left out. */
export async function findOwnEmails(
  database: Queryable,
  { tenant, emailIds }: { tenant: string; emailIds: readonly string[] },
): Promise<Set<string>> {
  const { rows } = await database.query<{ id: string }>(
    'select id from postrider.emails where id = any($1::uuid[]) and tenant = $2',
    [emailIds, tenant],
  );
  return new Set(rows.map(({ id }) => id));
}
