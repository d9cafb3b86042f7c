/**
 * Who is root at this door. With a key: whoever presents it, compared in constant time.
 * Without one the process listens on loopback, and the danger is a web page in the developer's own browser:
 * names that are not loopback (DNS rebinding) and cross-site requests are refused.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { PostriderError } from '../../kernel/index.js';

/** The refusal of a request, or null when it may pass. */
export type AccessGuard = (c: Context) => PostriderError | null;

export function accessGuard(apiKey: string | undefined): AccessGuard {
  if (apiKey === undefined) return refuseForeignPages;
  if (apiKey.trim() === '') throw new PostriderError('INVALID_CONFIG', 'The API key is empty.');
  const expected = digest(apiKey);
  return (c) => {
    const [, given] = /^Bearer +(\S+)$/i.exec(c.req.header('authorization') ?? '') ?? [];
    if (given !== undefined && timingSafeEqual(digest(given), expected)) return null;
    const reason = given === undefined ? 'A key is required.' : 'The key is not the right one.';
    return new PostriderError('UNAUTHORIZED', reason, { field: 'Authorization' });
  };
}

/** Digests have one length, which timingSafeEqual demands and which hides the key's. */
function digest(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function refuseForeignPages(c: Context): PostriderError | null {
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!isLoopback(`http://${host}`)) {
    return forbidden('Host', 'Without a key this server answers only to loopback names.');
  }
  // A proxy on this machine may call itself loopback while it speaks for the whole world.
  if (c.req.header('x-forwarded-for') !== undefined || c.req.header('forwarded') !== undefined) {
    return forbidden('X-Forwarded-For', 'Behind a proxy a key is needed; set POSTRIDER_API_KEY.');
  }
  const origin = c.req.header('origin');
  if (origin !== undefined && !isLoopback(origin)) {
    return forbidden('Origin', 'Without a key this server takes nothing from other sites.');
  }
  if (c.req.header('sec-fetch-site') === 'cross-site' && !isFollowedLink(c)) {
    return forbidden('Sec-Fetch-Site', 'Without a key this server takes nothing from other sites.');
  }
  return null;
}

function forbidden(field: string, detail: string): PostriderError {
  return new PostriderError('FORBIDDEN', detail, { field });
}

/** A person who follows a link to the inbox lands in a tab of their own; the page they left reads nothing. */
function isFollowedLink(c: Context): boolean {
  return (
    isSafeMethod(c.req.method) &&
    c.req.header('sec-fetch-mode') === 'navigate' &&
    c.req.header('sec-fetch-dest') === 'document'
  );
}

export function isSafeMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD';
}

export function isLoopback(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { hostname, username, password, pathname } = new URL(url);
  if (username !== '' || password !== '' || pathname !== '/') return false;
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
