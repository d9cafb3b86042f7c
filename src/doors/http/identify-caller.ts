/**
 * Who a request comes from: a key, the operator's key, a user's token, or a session. What was presented and does not
 * hold is refused, never passed over for something weaker, except on an open loopback, where everyone is root anyway.
 */
import type { Context } from 'hono';
import type { Access, Caller } from '../../access/index.js';
import type { AccessGuard } from './access-guard.js';
import type { HttpEnv } from './request-context.js';
import { readCookie, refuseForeignWrite } from './session-cookies.js';

export interface IdentifyOptions {
  guard: AccessGuard;
  /** What the log calls whoever passes the guard. */
  rootName: string;
  access: Access | undefined;
}

export async function identifyCaller(
  c: Context<HttpEnv>,
  { guard, rootName, access }: IdentifyOptions,
): Promise<Caller> {
  const [, bearer] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
  const named = bearer === undefined ? await bySession(c, access) : await byToken(bearer, access);
  if (named) return named;
  const refusal = guard(c);
  if (refusal) throw refusal;
  return { kind: 'root', name: rootName };
}

async function byToken(bearer: string, access: Access | undefined): Promise<Caller | null> {
  if (!access) return null;
  if (bearer.startsWith('re_')) return access.keys.find(bearer);
  const user = await access.users.find(bearer);
  return user && { kind: 'user', ...user };
}

async function bySession(c: Context<HttpEnv>, access: Access | undefined): Promise<Caller | null> {
  const token = access && readCookie(c, 'session');
  if (token === undefined) return null;
  const admin = await access!.sessions.find(token);
  if (admin) refuseForeignWrite(c);
  return admin;
}
