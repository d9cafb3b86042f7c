/**
 * The two cookies of signing in: one between password and code, one for the session. `__Host-` binds them to this
 * host over TLS. A browser takes no such cookie over plain HTTP, so on loopback, and only there, they have plain
 * names; the port of a container is loopback for the browser and a private network for this process. Strict: no other
 * site's link or form ever carries them.
 */
import type { Context } from 'hono';
import { deleteCookie, getCookie, setCookie } from 'hono/cookie';
import { isPrivateAddress, PostriderError, parseUrl } from '../../kernel/index.js';
import { isLoopback } from './access-guard.js';
import type { HttpEnv } from './request-context.js';

export type CookieKind = 'code' | 'session';

export function readCookie(c: Context<HttpEnv>, kind: CookieKind): string | undefined {
  return getCookie(c, nameOf(c, kind));
}

export function writeCookie(c: Context<HttpEnv>, kind: CookieKind, token: string, expiresAt: string): void {
  setCookie(c, nameOf(c, kind), token, { ...attributesOf(c), expires: new Date(expiresAt) });
}

export function dropCookie(c: Context<HttpEnv>, kind: CookieKind): void {
  deleteCookie(c, nameOf(c, kind), attributesOf(c));
}

/**
 * A write that a cookie speaks for must come from a page of this very origin. Browsers say so by themselves; a caller
 * that says nothing is refused, because a browser too old to say it could be made to send the cookie along.
 */
export function refuseForeignWrite(c: Context<HttpEnv>): void {
  if (SAFE.has(c.req.method)) return;
  const site = c.req.header('sec-fetch-site');
  if (site !== undefined) {
    if (site === 'same-origin') return;
    throw foreign('Sec-Fetch-Site');
  }
  const origin = c.req.header('origin');
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (origin !== undefined && parseUrl(origin)?.host === host) return;
  throw foreign('Origin');
}

/** The same for a request that carries no cookie: what says nothing is no browser, and may sign in. */
export function refuseForeignSignIn(c: Context<HttpEnv>): void {
  const says = c.req.header('sec-fetch-site') !== undefined || c.req.header('origin') !== undefined;
  if (says) refuseForeignWrite(c);
}

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

function foreign(field: string): PostriderError {
  return new PostriderError('FORBIDDEN', 'Only a page of this site may do that with your session.', {
    field,
  });
}

function nameOf(c: Context<HttpEnv>, kind: CookieKind): string {
  return isPlainLoopback(c) ? `postrider_${kind}` : `__Host-postrider_${kind}`;
}

function attributesOf(c: Context<HttpEnv>) {
  return { path: '/', httpOnly: true, secure: !isPlainLoopback(c), sameSite: 'Strict' as const };
}

function isPlainLoopback(c: Context<HttpEnv>): boolean {
  const ip = c.get('ip');
  if (ip === null || !isPrivateAddress(ip)) return false;
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  const outside = c.req.header('x-forwarded-proto') ?? new URL(c.req.url).protocol.slice(0, -1);
  return outside !== 'https' && isLoopback(`http://${host}`);
}
