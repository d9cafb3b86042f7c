import { hashAddress, isStorableText, isUuid } from '../../kernel/index.js';
import type { Queryable } from '../../store/index.js';
import type { Keeper } from '../write-suppressions.js';
import { BROADCASTS, type Contact, type ContactPage, type ListedContact } from './contact.js';

/** One person by id or address; several with one address are found by the oldest. */
export async function findContact(
  database: Queryable,
  keeper: Keeper,
  idOrEmail: string,
): Promise<(Contact & { externalId: string | null }) | null> {
  if (!isStorableText(idOrEmail)) return null;
  const { rows } = await database.query<ContactRow>(
    `select ${COLUMNS} from postrider.recipients r where r.tenant = $1 and r.deleted_at is null
     and ${isUuid(idOrEmail) ? 'r.id = $2::uuid' : 'lower(r.email) = lower($2)'} order by r.id limit 1`,
    [keeper.tenant, idOrEmail],
  );
  const row = rows[0];
  if (!row) return null;
  const [contact] = await present(database, keeper, [row]);
  return { ...contact!, externalId: row.external_id };
}

/** Newest first; of a segment, or all. */
export async function listContacts(
  database: Queryable,
  keeper: Keeper,
  { limit, after, before, segmentId }: ContactPage & { segmentId: string | null },
): Promise<{ contacts: ListedContact[]; more: boolean }> {
  // The members of a segment are few among the people of a tenant, so they are read first, in their own order.
  const id = segmentId === null ? 'r.id' : 'm.recipient_id';
  const values: unknown[] = [keeper.tenant, before ?? after, limit + 1];
  const from =
    segmentId === null
      ? 'postrider.recipients r where true'
      : `postrider.segment_members m ${MEMBER} where m.segment_id = $${values.push(segmentId)}::uuid`;
  const { rows } = await database.query<ContactRow>(
    `select ${LISTED_COLUMNS} from ${from} and r.tenant = $1 and r.deleted_at is null
     and ($2::uuid is null or ${id} ${before === null ? '<' : '>'} $2)
     order by ${id} ${before === null ? 'desc' : 'asc'} limit $3::int`,
    values,
  );
  const contacts = await present(database, keeper, rows.slice(0, limit));
  return { contacts: before === null ? contacts : contacts.reverse(), more: rows.length > limit };
}

/** Those of a segment who want a broadcast, in the order they came: everyone after the cursor. */
export async function readSegmentPage(
  database: Queryable,
  keeper: Keeper,
  { segmentId, cursor, limit }: { segmentId: string; cursor: string | null; limit: number },
): Promise<Contact[]> {
  const { rows } = await database.query<ContactRow>(
    `select ${COLUMNS} from postrider.segment_members m ${MEMBER}
     where m.segment_id = $2 and r.tenant = $1 and r.deleted_at is null and ($3::uuid is null or m.recipient_id > $3) order by m.recipient_id limit $4::int`,
    [keeper.tenant, segmentId, cursor, limit],
  );
  return present(database, keeper, rows);
}

/** By id alone: with the tenant beside it the planner may search the tenant's people for each member. */
const MEMBER = `join lateral (
       select * from postrider.recipients x where x.id = m.recipient_id offset 0
     ) r on true`;

interface ContactRow {
  id: string;
  email: string;
  external_id: string | null;
  attributes: Record<string, unknown>;
  preferences: Record<string, boolean>;
  created_at: Date;
}

const COLUMNS = 'r.id, r.email, r.external_id, r.attributes, r.preferences, r.created_at';
/** A list shows names and no properties; a person's attributes may be 16 KB. */
const listedName = (name: string) =>
  `case when jsonb_typeof(r.attributes -> '${name}') = 'string' then left(r.attributes ->> '${name}', 256) end`;
const LISTED_COLUMNS = `r.id, r.email, r.external_id, r.created_at,
  jsonb_build_object('firstName', ${listedName('firstName')}, 'lastName', ${listedName('lastName')}) as attributes,
  jsonb_build_object('${BROADCASTS}', r.preferences -> '${BROADCASTS}') as preferences`;

/** Links in emails write their refusals into the list of suppressions, under the hash of the address. */
async function present(
  database: Queryable,
  { tenant, hashKey }: Keeper,
  rows: readonly ContactRow[],
): Promise<Contact[]> {
  if (rows.length === 0) return [];
  const hashes = rows.map(({ email }) => hashAddress(hashKey, tenant, email).toString('hex'));
  const { rows: refusals } = await database.query<{ hash: string }>(
    `select encode(s.address_hash, 'hex') as hash from postrider.suppressions s
     where s.tenant = $1 and s.address_hash in (select decode(h, 'hex') from unnest($2::text[]) h)
       and s.reason = 'unsubscribe' and s.category in ('', $3)`,
    [tenant, hashes, BROADCASTS],
  );
  const refused = new Set(refusals.map(({ hash }) => hash));
  return rows.map((row, index) => ({
    id: row.id,
    email: row.email,
    firstName: textOf(row.attributes.firstName),
    lastName: textOf(row.attributes.lastName),
    properties: (row.attributes.properties ?? {}) as Contact['properties'],
    unsubscribed: row.preferences[BROADCASTS] === false || refused.has(hashes[index]!),
    preferences: row.preferences,
    createdAt: new Date(row.created_at).toISOString(),
  }));
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}
