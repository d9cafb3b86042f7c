import { hashAddress } from '../kernel/index.js';
import type { Queryable } from '../store/index.js';
import type { ParsedSuppression } from './parse-suppression.js';
import type { Suppression } from './suppression.js';

/** Adds those that are not there yet, thousands in a statement; returns how many were new. */
export async function addSuppressions(
  tx: Queryable,
  { tenant, hashKey }: Keeper,
  entries: readonly ParsedSuppression[],
): Promise<number> {
  if (entries.length === 0) return 0;
  const { rows } = await tx.query<{ id: string }>(ADD, [
    tenant,
    entries.map((entry) => hashAddress(hashKey, tenant, entry.email).toString('hex')),
    entries.map((entry) => entry.email),
    entries.map((entry) => entry.reason),
    entries.map((entry) => entry.category),
    entries.map((entry) => entry.emailId),
    entries.map((entry) => entry.note),
  ]);
  return rows.length;
}

export interface Keeper {
  tenant: string;
  hashKey: string;
}

/** By address: every reason, or one of them. */
export async function removeSuppressions(
  tx: Queryable,
  { tenant, hashKey }: Keeper,
  { email, reason, category }: { email: string; reason: string | null; category: string | null },
): Promise<number> {
  const { rows } = await tx.query(
    `delete from postrider.suppressions where tenant = $1 and address_hash = decode($2, 'hex')
     and ($3::text is null or reason = $3) and ($4::text is null or category = $4) returning id`,
    [tenant, hashAddress(hashKey, tenant, email).toString('hex'), reason, category],
  );
  return rows.length;
}

/** Of a person who is erased only the hash stays, so that they are not written to again. */
export async function forgetSuppressedAddresses(
  database: Queryable,
  tenant: string | null,
  addresses: readonly string[],
): Promise<number> {
  const { rows } = await database.query(
    `update postrider.suppressions set address = null, note = null, email_id = null
     where ($1::text is null or tenant = $1) and lower(address) = any ($2::text[]) returning id`,
    [tenant, addresses.map((address) => address.toLowerCase())],
  );
  return rows.length;
}

export async function listSuppressions(
  database: Queryable,
  tenant: string,
  filter: { after: string | null; limit: number; reason: string | null; hash: Buffer | null },
): Promise<Array<Suppression & { id: string }>> {
  const { rows } = await database.query<Suppression & { id: string }>(
    `select ${SHOWN} from postrider.suppressions
     where tenant = $1 and ($2::uuid is null or id > $2) and ($4::text is null or reason = $4)
       and ($5::text is null or address_hash = decode($5, 'hex'))
     order by id limit $3`,
    [tenant, filter.after, filter.limit, filter.reason, filter.hash?.toString('hex') ?? null],
  );
  return rows;
}

const SHOWN = `id, tenant as "companyId", address as email, reason, nullif(category, '') as category,
  email_id as "emailId", note,
  to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "createdAt"`;

const ADD = {
  name: 'recipients_suppress',
  text: `
    insert into postrider.suppressions (tenant, address_hash, address, reason, category, email_id, note)
    select distinct on (s.hash, s.reason, s.category)
      $1, decode(s.hash, 'hex'), s.address, s.reason, s.category, s.email_id, s.note
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::uuid[], $7::text[])
      as s(hash, address, reason, category, email_id, note)
    order by s.hash, s.reason, s.category
    on conflict (tenant, address_hash, reason, category) do nothing
    returning id`,
};
