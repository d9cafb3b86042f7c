/**
 * Who is root at this door. With a key: the caller that presents it, compared in constant time.
 * Without one: a caller whose connection comes from this machine. An address that is unknown is refused, and so are
 * pages in the developer's own browser: names that are not loopback (DNS rebinding) and cross-site requests.
 */
import { createHash, timingSafeEqual } from 'node:crypto';
import type { Context } from 'hono';
import { isLoopbackAddress, PostriderError, parseUrl } from '../../kernel/index.js';
import { connectionAddress } from './client-address.js';

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
  const address = connectionAddress(c);
  if (address === null) return forbidden(null, 'Without a key the address of the caller has to be known.');
  if (!isLoopbackAddress(address)) {
    return forbidden(null, 'Without a key this server answers only this machine; set POSTRIDER_API_KEY.');
  }
  const host = c.req.header('host') ?? new URL(c.req.url).host;
  if (!isLoopback(`http://${host}`)) {
    return forbidden('Host', 'Without a key this server answers only to loopback names.');
  }
  // A proxy on this machine has an address of loopback and forwards requests of other machines.
  const proxied = PROXY_HEADERS.find((name) => c.req.header(name) !== undefined);
  if (proxied !== undefined) {
    return forbidden(proxied, 'Behind a proxy a key is needed; set POSTRIDER_API_KEY.');
  }
  // A page whose policy sends no referrer posts its forms with `Origin: null`; the browser still says where they are from.
  if (c.req.header('sec-fetch-site') === 'same-origin') return null;
  const origin = c.req.header('origin');
  if (origin !== undefined && !isLoopback(origin)) {
    return forbidden('Origin', 'Without a key this server takes nothing from other sites.');
  }
  if (c.req.header('sec-fetch-site') === 'cross-site' && !isFollowedLink(c)) {
    return forbidden('Sec-Fetch-Site', 'Without a key this server takes nothing from other sites.');
  }
  return null;
}

const PROXY_HEADERS = [
  'X-Forwarded-For',
  'Forwarded',
  'X-Forwarded-Host',
  'X-Forwarded-Proto',
  'X-Real-IP',
  'Via',
  'CF-Connecting-IP',
  'True-Client-IP',
];

function forbidden(field: string | null, detail: string): PostriderError {
  return new PostriderError('FORBIDDEN', detail, field === null ? {} : { field });
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
  const parsed = parseUrl(url);
  if (parsed === null) return false;
  const { hostname, username, password, pathname } = parsed;
  if (username !== '' || password !== '' || pathname !== '/') return false;
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(?:\.\d{1,3}){3}$/.test(hostname)
  );
}
