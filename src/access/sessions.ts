import { randomBytes } from 'node:crypto';
import type { Queryable } from '../store/index.js';
import { tokenHash } from './api-keys.js';
import type { AdminCaller, AdminRole } from './caller.js';

/**
 * Sessions of operators: a random token in the browser, its hash in the database, asked at every request, so that an
 * account that is disabled or signed out everywhere is out at once. A session ends when it was not used for a while,
 * and in any case after a while.
 */
export interface SessionTimes {
  idleMs: number;
  maxMs: number;
}

export async function openSession(
  tx: Queryable,
  adminId: string,
  { maxMs, ip }: { maxMs: number; ip: string | null },
): Promise<{ token: string; expiresAt: string }> {
  const token = newToken();
  const { rows } = await tx.query<{ expires_at: Date }>(
    `insert into postrider.admin_sessions (token_hash, admin_id, expires_at, ip)
     values ($1, $2, now() + make_interval(secs => $3::double precision), $4) returning expires_at`,
    [tokenHash(token), adminId, maxMs / 1000, ip],
  );
  return { token, expiresAt: new Date(rows[0]!.expires_at).toISOString() };
}

export async function findSession(
  database: Queryable,
  token: string,
  { idleMs }: SessionTimes,
): Promise<AdminCaller | null> {
  if (!TOKEN.test(token)) return null;
  const { rows } = await database.query<SessionRow>(FIND, [tokenHash(token), idleMs / 1000]);
  const row = rows[0];
  if (!row) return null;
  if (row.stale) await database.query(TOUCH, [tokenHash(token)]);
  return { kind: 'admin', adminId: row.id, email: row.email, name: row.name, role: row.role };
}

export async function closeSession(database: Queryable, token: string): Promise<void> {
  await database.query('delete from postrider.admin_sessions where token_hash = $1', [tokenHash(token)]);
}

/** All sessions of one account, and the sign-ins it has begun. */
export async function closeAllSessions(database: Queryable, adminId: string): Promise<void> {
  await database.query('delete from postrider.admin_sessions where admin_id = $1', [adminId]);
  await database.query('delete from postrider.admin_sign_ins where admin_id = $1', [adminId]);
}

export async function dropOldSessions(database: Queryable, { idleMs }: SessionTimes): Promise<void> {
  await database.query(
    `delete from postrider.admin_sessions
     where expires_at < now() or seen_at < now() - make_interval(secs => $1::double precision)`,
    [idleMs / 1000],
  );
  await database.query(`delete from postrider.admin_sign_ins where expires_at < now() - interval '1 hour'`);
}

export function newToken(): string {
  return randomBytes(32).toString('base64url');
}

const TOKEN = /^[A-Za-z0-9_-]{43}$/;

interface SessionRow {
  id: string;
  email: string;
  name: string;
  role: AdminRole;
  stale: boolean;
}

const FIND = `
  select a.id, a.email, a.name, a.role, s.seen_at < now() - interval '30 seconds' as stale
  from postrider.admin_sessions s join postrider.admins a on a.id = s.admin_id
  where s.token_hash = $1 and a.disabled_at is null and s.expires_at > now()
    and s.seen_at > now() - make_interval(secs => $2::double precision)`;

const TOUCH = `update postrider.admin_sessions set seen_at = now() where token_hash = $1`;
