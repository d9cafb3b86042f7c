import type { Queryable } from '../store/index.js';

/**
 * One person's rows, also those that were removed before: found first, so that everything under their other names can
 * be erased, and deleted last, so that an erasure that was cut off can be repeated.
 */
export interface KnownPerson {
  addresses: string[];
  externalIds: Array<{ tenant: string; externalId: string }>;
}

/** `tenant` null: in every one. The address is compared without regard to case. */
export async function findPersonToErase(
  database: Queryable,
  tenant: string | null,
  by: { email?: string; externalId?: string },
): Promise<KnownPerson> {
  const { rows } = await database.query<{ tenant: string; email: string; external_id: string | null }>(
    `select tenant, email, external_id from postrider.recipients
     where ($1::text is null or tenant = $1) and (lower(email) = lower($2::text) or external_id = $3::text)`,
    [tenant, by.email ?? null, by.externalId ?? null],
  );
  const externalIds = rows.flatMap((row) =>
    row.external_id === null ? [] : [{ tenant: row.tenant, externalId: row.external_id }],
  );
  return { addresses: [...new Set(rows.map((row) => row.email))], externalIds };
}

/** Check-ins and activities go with them. */
export async function eraseRecipients(
  database: Queryable,
  tenant: string | null,
  person: KnownPerson,
): Promise<number> {
  const { rowCount } = await database.query(
    `delete from postrider.recipients r
     where ($1::text is null or r.tenant = $1) and (lower(r.email) = any ($2::text[])
       or (r.tenant, r.external_id) in (select * from unnest($3::text[], $4::text[])))
     returning r.id`,
    [
      tenant,
      person.addresses.map((address) => address.toLowerCase()),
      person.externalIds.map((known) => known.tenant),
      person.externalIds.map((known) => known.externalId),
    ],
  );
  return rowCount;
}
