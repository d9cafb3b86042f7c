import { z } from 'zod';
import { PostriderError, unknownRegion } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Actor, audited } from './audit-log.js';
import { address, companyId, domains, inputOf, label, pageLimit, region } from './read-input.js';

/**
 * The companies that send through this Postrider, and the domains each may send from. A company that is not listed
 * here may still be written by the library and by operators; an API key always belongs to a listed one. A disabled
 * one sends nothing through any door.
 */
export interface Tenant {
  companyId: string;
  name: string | null;
  /** The only domains its emails may come from; null: no list. */
  fromDomains: string[] | null;
  /** Where its emails are kept unless they say otherwise; null: where those of nobody in particular are. */
  region: string | null;
  /** Who is told what people have to mend, such as a webhook that was turned off. */
  contact: string | null;
  createdAt: string;
  disabledAt: string | null;
}

export async function createTenant(
  { database, regions }: TenantGround,
  input: unknown,
  by: Actor,
): Promise<Tenant> {
  const given = NEW_TENANT.read(input, '');
  refuseUnknownRegion(given.region, regions);
  return audited(database, by, async (tx) => {
    const { rows } = await tx.query<TenantRow>(
      `insert into postrider.tenants (id, name, from_domains, region, contact) values ($1, $2, $3::text[], $4, $5)
       on conflict (id) do nothing returning *`,
      [
        ...[given.companyId, given.name ?? null, given.fromDomains ?? null, given.region ?? null],
        given.contact ?? null,
      ],
    );
    if (!rows[0])
      throw new PostriderError('TENANT_EXISTS', `There is already a tenant ${given.companyId}.`, {
        field: 'companyId',
      });
    return {
      result: present(rows[0]),
      entry: {
        action: 'tenant.create',
        target: given.companyId,
        companyId: given.companyId,
        detail: { fromDomains: given.fromDomains ?? null, ...(given.region && { region: given.region }) },
      },
    };
  });
}

/**
 * Changes what is named: the name, the list of domains (null removes it), the region of emails from now on, the
 * contact, or whether it is disabled.
 */
export async function changeTenant(
  { database, regions }: TenantGround,
  id: string,
  input: unknown,
  by: Actor,
): Promise<Tenant> {
  const given = TENANT_CHANGE.read(input, '');
  refuseUnknownRegion(given.region, regions);
  return audited(database, by, async (tx) => {
    const { rows } = await tx.query<TenantRow>(CHANGE, [
      id,
      given.name !== undefined,
      given.name ?? null,
      given.fromDomains !== undefined,
      given.fromDomains ?? null,
      given.disabled ?? null,
      given.region !== undefined,
      given.region ?? null,
      given.contact !== undefined,
      given.contact ?? null,
    ]);
    if (!rows[0]) throw tenantNotFound(id);
    return {
      result: present(rows[0]),
      entry: { action: 'tenant.change', target: id, companyId: id, detail: withoutContact(given) },
    };
  });
}

/** The log is kept for ever and people may ask to be forgotten. */
function withoutContact({
  contact,
  ...given
}: ReturnType<typeof TENANT_CHANGE.read>): Record<string, unknown> {
  return contact === undefined ? given : { ...given, contact: contact === null ? null : '(address)' };
}

export interface TenantGround {
  database: Database;
  /** Those a tenant can be given. */
  regions: readonly string[];
}

function refuseUnknownRegion(region: string | null | undefined, regions: readonly string[]): void {
  if (region != null && !regions.includes(region)) throw unknownRegion(region, regions);
}

export interface TenantPage {
  tenants: Tenant[];
  /** Null after the last page. */
  nextCursor: string | null;
}

/** By id, those after the cursor, that begin with a text if one is given. */
export async function listTenants(database: Queryable, input?: unknown): Promise<TenantPage> {
  const { limit, cursor, startsWith } = TENANT_PAGE.read(input, '');
  const { rows } = await database.query<TenantRow>(LIST, [cursor ?? null, startsWith ?? null, limit + 1]);
  const tenants = rows.slice(0, limit).map(present);
  return { tenants, nextCursor: rows.length > limit ? tenants.at(-1)!.companyId : null };
}

/** Those of them that are disabled. */
export async function findDisabled(
  database: Queryable,
  ids: readonly string[],
): Promise<ReadonlyMap<string, true>> {
  const { rows } = await database.query<{ id: string }>(FIND_DISABLED, [ids]);
  return new Map(rows.map(({ id }) => [id, true]));
}

export function tenantNotFound(id: string): PostriderError {
  return new PostriderError('TENANT_NOT_FOUND', `There is no tenant ${id.slice(0, 128)}.`, {
    field: 'companyId',
  });
}

export const NEW_TENANT = inputOf(
  z.strictObject({
    companyId,
    name: label.nullish(),
    fromDomains: domains.nullish(),
    region: region.nullish(),
    contact: address.nullish(),
  }),
);

export const TENANT_CHANGE = inputOf(
  z.strictObject({
    name: label.nullish(),
    fromDomains: domains.nullish(),
    region: region.nullish(),
    contact: address.nullish(),
    disabled: z.boolean('must be true or false').optional(),
  }),
);

export const TENANT_PAGE = inputOf(
  z.strictObject({ limit: pageLimit, cursor: companyId.optional(), startsWith: companyId.optional() }),
);

interface TenantRow {
  id: string;
  name: string | null;
  from_domains: string[] | null;
  region: string | null;
  contact: string | null;
  created_at: Date;
  disabled_at: Date | null;
}

function present(row: TenantRow): Tenant {
  return {
    companyId: row.id,
    name: row.name,
    fromDomains: row.from_domains,
    region: row.region,
    contact: row.contact,
    createdAt: new Date(row.created_at).toISOString(),
    disabledAt: row.disabled_at === null ? null : new Date(row.disabled_at).toISOString(),
  };
}

const CHANGE = `
  update postrider.tenants set
    name = case when $2::boolean then $3::text else name end,
    from_domains = case when $4::boolean then $5::text[] else from_domains end,
    disabled_at = case when $6::boolean is null then disabled_at
                       when $6::boolean then coalesce(disabled_at, now()) end,
    region = case when $7::boolean then $8::text else region end,
    contact = case when $9::boolean then $10::text else contact end
  where id = $1 returning *`;

// '~' sorts after every character an id may have.
const LIST = {
  name: 'access_list_tenants',
  text: `
    select * from postrider.tenants
    where ($1::text is null or id > $1) and ($2::text is null or id between $2 and $2 || '~')
    order by id limit $3::int`,
};

const FIND_DISABLED = {
  name: 'access_disabled_tenants',
  text: 'select id from postrider.tenants where id = any($1::text[]) and disabled_at is not null',
};
