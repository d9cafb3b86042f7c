import { z } from 'zod';
import { isUuid, PostriderError, parseMailbox } from '../kernel/index.js';
import type { Database, Queryable } from '../store/index.js';
import { type Actor, audited } from './audit-log.js';
import { ADMIN_ROLES, type AdminRole } from './caller.js';
import { hashPassword, refuseWeakPassword } from './passwords.js';
import { anyText, inputOf, label } from './read-input.js';
import { closeAllSessions } from './sessions.js';

/**
 * Accounts of the people who operate Postrider. A change of role, password or state ends the account's sessions in
 * the same transaction. There is always one admin left who can sign in.
 */
export interface Admin {
  id: string;
  email: string;
  name: string;
  role: AdminRole;
  createdAt: string;
  lastSignInAt: string | null;
  disabledAt: string | null;
}

export async function createAdmin(database: Database, input: unknown, by: Actor): Promise<Admin> {
  const given = NEW_ADMIN.read(input, '');
  const { address } = parseMailbox(given.email, 'email');
  refuseWeakPassword(given.password, address);
  const hash = await hashPassword(given.password);
  return audited(database, by, async (tx) => {
    const { rows } = await tx.query<AdminRow>(
      `insert into postrider.admins (email, name, role, password_hash) values ($1, $2, $3, $4)
       on conflict (lower(email)) do nothing returning *`,
      [address, given.name ?? address.slice(0, address.lastIndexOf('@')), given.role, hash],
    );
    if (!rows[0])
      throw new PostriderError('ADMIN_EXISTS', 'There is already an account with this address.', {
        field: 'email',
      });
    return {
      result: present(rows[0]),
      entry: { action: 'admin.create', target: address, detail: { role: given.role } },
    };
  });
}

/** By id or address: the role, the name, the password, or whether it is disabled. */
export async function changeAdmin(
  database: Database,
  who: string,
  input: unknown,
  by: Actor,
): Promise<Admin> {
  const { password, ...given } = ADMIN_CHANGE.read(input, '');
  const before = await findAdmin(database.prompt(), who);
  if (password !== undefined) refuseWeakPassword(password, before.email);
  const hash = password === undefined ? null : await hashPassword(password);
  return audited(database, by, async (tx) => {
    // Two admins who demote each other at the same moment are put in order.
    await tx.query('lock table postrider.admins in share row exclusive mode');
    const { rows } = await tx.query<AdminRow>(CHANGE, [
      before.id,
      given.name ?? null,
      given.role ?? null,
      hash,
      given.disabled ?? null,
    ]);
    if (!rows[0]) throw adminNotFound();
    if (before.role === 'admin' && !before.disabledAt) await refuseNoneLeft(tx);
    if (given.role !== undefined || hash !== null || given.disabled) await closeAllSessions(tx, before.id);
    return {
      result: present(rows[0]),
      entry: {
        action: 'admin.change',
        target: before.email,
        detail: { ...given, ...(hash !== null && { password: 'changed' }) },
      },
    };
  });
}

export async function listAdmins(database: Queryable): Promise<Admin[]> {
  const { rows } = await database.query<AdminRow>('select * from postrider.admins order by lower(email)');
  return rows.map(present);
}

export async function findAdmin(database: Queryable, who: string): Promise<Admin> {
  const by = isUuid(who) ? 'id = $1' : 'lower(email) = lower($1)';
  const { rows } = await database.query<AdminRow>(`select * from postrider.admins where ${by}`, [who]);
  if (!rows[0]) throw adminNotFound();
  return present(rows[0]);
}

async function refuseNoneLeft(tx: Queryable): Promise<void> {
  const { rows } = await tx.query(
    `select 1 from postrider.admins where role = 'admin' and disabled_at is null limit 1`,
  );
  if (rows.length === 0)
    throw new PostriderError('LAST_ADMIN', 'No admin would be left who can sign in.', { field: 'role' });
}

function adminNotFound(): PostriderError {
  return new PostriderError('ADMIN_NOT_FOUND', 'There is no such account.', { field: 'id' });
}

const role = z.enum(ADMIN_ROLES, `must be one of ${ADMIN_ROLES.join(', ')}`);

export const NEW_ADMIN = inputOf(
  z.strictObject({
    email: anyText,
    name: label.nullish(),
    role: role.default('viewer'),
    password: anyText,
  }),
);

export const ADMIN_CHANGE = inputOf(
  z.strictObject({
    name: label.optional(),
    role: role.optional(),
    password: anyText.optional(),
    disabled: z.boolean('must be true or false').optional(),
  }),
);

interface AdminRow {
  id: string;
  email: string;
  name: string;
  role: AdminRole;
  created_at: Date;
  last_sign_in_at: Date | null;
  disabled_at: Date | null;
}

function present(row: AdminRow): Admin {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    createdAt: new Date(row.created_at).toISOString(),
    lastSignInAt: iso(row.last_sign_in_at),
    disabledAt: iso(row.disabled_at),
  };
}

function iso(at: Date | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

const CHANGE = `
  update postrider.admins set
    name = coalesce($2::text, name),
    role = coalesce($3::text, role),
    password_hash = coalesce($4::text, password_hash),
    disabled_at = case when $5::boolean is null then disabled_at
                       when $5::boolean then coalesce(disabled_at, now()) end
  where id = $1 returning *`;
