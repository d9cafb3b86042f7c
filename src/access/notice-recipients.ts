import type { Queryable } from '../store/index.js';

/**
 * Who is told of something a company suffers and people can mend: its own contact, and every admin who can sign in.
 * Nobody, when so much has befallen it within an hour: a company that turns its webhooks on and off must not be able to
 * fill everyone's mailbox. The audit log has each.
 */
export async function noticeRecipients(
  database: Queryable,
  companyId: string,
  action: string,
): Promise<string[]> {
  const { rows } = await database.query<{ address: string }>(
    `select distinct on (lower(address)) address from (
       select contact as address from postrider.tenants where id = $1 and contact is not null
       union all
       select email from postrider.admins where role = 'admin' and disabled_at is null
     ) people
     where (
       select count(*) from postrider.audit_log
       where tenant = $1 and action = $2 and id >= postrider.id_floor(now() - interval '1 hour')
     ) < $3::int
     order by lower(address)`,
    [companyId, action, MOST_AN_HOUR],
  );
  return rows.map(({ address }) => address);
}

const MOST_AN_HOUR = 20;

/** A contact that asks to be forgotten: the company has none then. */
export async function forgetContacts(
  database: Queryable,
  tenant: string | null,
  addresses: readonly string[],
): Promise<void> {
  await database.query(
    `update postrider.tenants set contact = null
     where lower(contact) = any($2::text[]) and ($1::text is null or id = $1)`,
    [tenant, addresses.map((address) => address.toLowerCase())],
  );
}
