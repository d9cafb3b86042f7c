import { createHash, randomBytes } from 'node:crypto';
import { z } from 'zod';
import { isUuid, PostriderError } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Actor, audited } from './audit-log.js';
import type { KeyPermission } from './caller.js';
import { companyId, domains, inputOf, label, pageLimit, readInput } from './read-input.js';
import { tenantNotFound } from './tenants.js';

/**
 * API keys: made, listed, revoked. The token leaves this file once, when it is made; the database has its SHA-256.
 * A plain hash is enough because the token is 32 random bytes: there is nothing to guess, so nothing to slow down,
 * and a request does not pay for scrypt.
 */
export interface ApiKey {
  id: string;
  companyId: string;
  name: string;
  /** How the token begins. */
  hint: string;
  permission: KeyPermission;
  fromDomains: string[] | null;
  createdAt: string;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export async function createApiKey(
  database: Database,
  input: unknown,
  by: Actor,
): Promise<ApiKey & { token: string }> {
  const given = NEW_KEY.read(input, '');
  const token = `${TOKEN_PREFIX}${randomBytes(32).toString('base64url')}`;
  return audited(database, by, async (tx) => {
    const { rows } = await tx.query<KeyRow>(
      `insert into postrider.api_keys (tenant, name, token_hash, hint, permission, from_domains)
       select t.id, $2, $3, $4, $5, $6::text[] from postrider.tenants t where t.id = $1 returning *`,
      [
        given.companyId,
        given.name,
        tokenHash(token),
        token.slice(0, HINT_LENGTH),
        given.permission,
        given.fromDomains ?? null,
      ],
    );
    if (!rows[0]) throw tenantNotFound(given.companyId);
    const key = present(rows[0]);
    return {
      result: { ...key, token },
      entry: {
        action: 'key.create',
        target: key.id,
        companyId: key.companyId,
        detail: { name: key.name, permission: key.permission, fromDomains: key.fromDomains },
      },
    };
  });
}

/** Again is the same: a key is revoked once. */
export async function revokeApiKey(database: Database, id: string, by: Actor): Promise<ApiKey> {
  return audited(database, by, async (tx) => {
    const { rows } = isUuid(id)
      ? await tx.query<KeyRow>(
          `update postrider.api_keys set revoked_at = coalesce(revoked_at, now()) where id = $1 returning *`,
          [id],
        )
      : { rows: [] };
    if (!rows[0]) throw new PostriderError('KEY_NOT_FOUND', 'There is no such key.', { field: 'id' });
    const key = present(rows[0]);
    return {
      result: key,
      entry: {
        action: 'key.revoke',
        target: key.id,
        companyId: key.companyId,
        detail: { name: key.name },
      },
    };
  });
}

export async function renameApiKey(
  database: Database,
  { id, companyId: company }: { id: string; companyId: string },
  name: unknown,
  by: Actor,
): Promise<ApiKey> {
  const given = readInput(z.strictObject({ name: label }), { name });
  return audited(database, by, async (tx) => {
    const { rows } = isUuid(id)
      ? await tx.query<KeyRow>(
          `update postrider.api_keys set name = $3 where id = $1 and tenant = $2 and revoked_at is null returning *`,
          [id, company, given.name],
        )
      : { rows: [] };
    if (!rows[0]) throw new PostriderError('KEY_NOT_FOUND', 'There is no such key.', { field: 'id' });
    const entry = { action: 'key.rename', target: id, companyId: company, detail: { name: given.name } };
    return { result: present(rows[0]), entry };
  });
}

export interface KeyPage {
  keys: ApiKey[];
  /** Null after the last page. */
  nextCursor: string | null;
}

/** By company and age, those after the cursor. */
export async function listApiKeys(database: Queryable, input?: unknown): Promise<KeyPage> {
  const { limit, cursor, companyId: company } = KEY_PAGE.read(input, '');
  const [tenant, id] = cursor?.split('/') ?? [null, null];
  const { rows } = await database.query<KeyRow>(LIST, [company ?? null, tenant, id, limit + 1]);
  const keys = rows.slice(0, limit).map(present);
  const last = keys.at(-1);
  return { keys, nextCursor: rows.length > limit ? `${last!.companyId}/${last!.id}` : null };
}

/** The keys of one company that were not revoked. */
export async function listLivingKeys(database: Queryable, company: string): Promise<ApiKey[]> {
  const { rows } = await database.query<KeyRow>(
    'select * from postrider.api_keys where tenant = $1 and revoked_at is null order by id',
    [company],
  );
  return rows.map(present);
}

export function tokenHash(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

export const TOKEN_PREFIX = 're_';
const HINT_LENGTH = 10;

export const NEW_KEY = inputOf(
  z.strictObject({
    companyId,
    name: label,
    permission: z.enum(['full', 'sending'], 'must be full or sending').default('full'),
    fromDomains: domains.nullish(),
  }),
);

export const KEY_PAGE = inputOf(
  z.strictObject({
    limit: pageLimit,
    companyId: companyId.optional(),
    cursor: z
      .string('must be text')
      .regex(
        /^[A-Za-z0-9._:-]{1,128}\/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/,
        'must be a cursor that an earlier page gave',
      )
      .optional(),
  }),
);

interface KeyRow {
  id: string;
  tenant: string;
  name: string;
  token_hash: string;
  hint: string;
  permission: KeyPermission;
  from_domains: string[] | null;
  created_at: Date;
  last_used_at: Date | null;
  revoked_at: Date | null;
}

function present(row: KeyRow): ApiKey {
  return {
    id: row.id,
    companyId: row.tenant,
    name: row.name,
    hint: row.hint,
    permission: row.permission,
    fromDomains: row.from_domains,
    createdAt: new Date(row.created_at).toISOString(),
    lastUsedAt: iso(row.last_used_at),
    revokedAt: iso(row.revoked_at),
  };
}

function iso(at: Date | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

const LIST = {
  name: 'access_list_keys',
  text: `
    select * from postrider.api_keys
    where ($1::text is null or tenant = $1) and ($2::text is null or (tenant, id) > ($2, $3::uuid))
    order by tenant, id limit $4::int`,
};
