import type { Queryable } from '../store/index.js';

/** To whom an email went, while it is kept: null once retention has removed it, or for another tenant's. */
export async function findAddressee(
  database: Queryable,
  email: { emailId: string; tenant: string },
): Promise<string | null> {
  const { rows } = await database.query<{ to_address: string }>(
    'select to_address from postrider.emails where id = $1 and tenant = $2',
    [email.emailId, email.tenant],
  );
  return rows[0]?.to_address ?? null;
}

/** The person said no on account of this email; nothing happens where it is gone. */
export async function noteUnsubscribed(
  tx: Queryable,
  email: { emailId: string; tenant: string },
  detail: { category: string | null; by: 'one-click' | 'page' },
): Promise<void> {
  await tx.query(
    `insert into postrider.email_facts (email_id, type, detail)
     select id, 'UNSUBSCRIBED', $3::text::jsonb from postrider.emails where id = $1 and tenant = $2
     returning email_id`,
    [email.emailId, email.tenant, JSON.stringify(detail)],
  );
}
