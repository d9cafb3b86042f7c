import type { Queryable } from '../store/index.js';

/** Removes what was counted for these addresses and users, in one company or in all; returns how many rows. */
export async function forgetRecipient(
  database: Queryable,
  { tenant, addresses, users, hashAddress, hashUser }: CountedPerson,
): Promise<number> {
  const tenants = tenant === null ? await countingTenants(database) : [tenant];
  let total = 0;
  for (const each of tenants) {
    const recipients = [
      ...addresses.map((address) => hashAddress(each, address)),
      ...users.filter((user) => user.tenant === each).map(({ externalId }) => hashUser(each, externalId)),
    ];
    const { rowCount } = await database.query(FORGET, [each, recipients]);
    total += rowCount;
  }
  return total;
}

export interface CountedPerson {
  /** null: every company. */
  tenant: string | null;
  addresses: readonly string[];
  /** Their ids in the application, by company. */
  users: ReadonlyArray<{ tenant: string; externalId: string }>;
  hashUser(tenant: string, userId: string): string;
  hashAddress(tenant: string, address: string): string;
}

/** A hash is another one in every company, so each is asked; a loose scan finds them without reading all rows. */
async function countingTenants(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ tenant: string }>(
    `with recursive counting(tenant) as (
       (select tenant from postrider.rate_limit_slots order by tenant limit 1)
       union all
       select (select s.tenant from postrider.rate_limit_slots s where s.tenant > c.tenant order by s.tenant limit 1)
       from counting c where c.tenant is not null
     )
     select tenant from counting where tenant is not null`,
  );
  return rows.map(({ tenant }) => tenant);
}

const FORGET = `
  delete from postrider.rate_limit_slots s using unnest($2::text[]) as r(hash)
  where s.tenant = $1 and s.recipient = decode(r.hash, 'hex') returning s.slot`;
