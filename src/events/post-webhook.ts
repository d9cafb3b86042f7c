import { lookup as dnsLookup, type LookupAddress } from 'node:dns';
import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { type Clock, messageOf, systemClock, toStorableText } from '../kernel/index.js';
import { isPublicAddress } from './public-address.js';

/**
 * One request to an endpoint, as a value. The address is judged when the connection is made, by the lookup the socket
 * itself uses, so a name that means another address a moment later changes nothing. Follows no redirect, reads a
 * bounded part of the answer within a bounded time, and never throws.
 */
export interface WebhookAnswer {
  /** null: no answer came. */
  httpStatus: number | null;
  /** The beginning of the answer. */
  response: string | null;
  error: string | null;
  /** The server's own wish. */
  retryAfterMs: number | null;
  durationMs: number;
}

export interface PostOptions {
  allowPrivate: boolean;
  timeoutMs: number;
  clock: Clock;
  signal?: AbortSignal;
  /** Instead of the system's resolver. */
  resolve?: Resolve;
}

export type Resolve = (
  host: string,
  answer: (error: Error | null, addresses: LookupAddress[]) => void,
) => void;

export function postWebhook(
  url: string,
  message: { method?: 'GET' | 'POST'; headers: Record<string, string>; body: string },
  options: PostOptions,
): Promise<WebhookAnswer> {
  const { allowPrivate, clock } = options;
  const target = new URL(url);
  const startedAt = clock.monotonic();
  const host = target.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    let heard: IncomingMessage | null = null;
    let request: ClientRequest | undefined;
    const chunks: Buffer[] = [];
    let size = 0;
    const done = (error: string | null): void => {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', onAbort);
      resolve({
        httpStatus: heard?.statusCode ?? null,
        response: heard ? toStorableText(Buffer.concat(chunks).toString('utf8')).slice(0, KEPT_CHARS) : null,
        // What matters of an answer is its first line: that the rest was long or slow changes nothing.
        error: heard ? null : error,
        retryAfterMs: retryAfter(heard),
        durationMs: Math.round(clock.monotonic() - startedAt),
      });
      request?.destroy();
    };
    const onAbort = () => done('the process is stopping');
    const timer = setTimeout(() => done(`no answer within ${options.timeoutMs} ms`), options.timeoutMs);
    // A socket looks up names only; an address that is written out is judged here.
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host)) {
      done(NOT_PUBLIC);
      return;
    }
    const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
    request = send(target, {
      method: message.method ?? 'POST',
      agent: false,
      lookup: guardedLookup(options.resolve ?? systemResolve, allowPrivate),
      headers: {
        ...message.headers,
        ...(message.method !== 'GET' && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(message.body),
        }),
        'User-Agent': 'Postrider-Webhooks',
      },
    });
    options.signal?.addEventListener('abort', onAbort, { once: true });
    request.on('error', (error) => done(messageOf(error)));
    request.on('response', (response) => {
      heard = response;
      response.on('data', (chunk: Buffer) => {
        if (size < READ_BYTES) chunks.push(chunk);
        size += chunk.length;
        if (size >= READ_BYTES) done(null);
      });
      response.on('end', () => done(null));
      response.on('error', () => done(null));
    });
    request.end(message.method === 'GET' ? undefined : message.body);
  });
}

const NOT_PUBLIC = 'the address is not a public one';
const READ_BYTES = 16 * 1024;
const KEPT_CHARS = 1000;
const MAX_WISH_MS = 24 * 3_600_000;

export const systemResolve: Resolve = (host, answer) => {
  dnsLookup(host, { all: true }, answer);
};

/**
 * One address that is not public spoils the name: nobody mixes them with good intent. Who asks for a URL must not learn
 * which names there are inside: a name that leads there, one that nobody knows and one that cannot be looked up fail
 * with the same words, and at whole seconds.
 */
export function guardedLookup(resolve: Resolve, allowPrivate: boolean): LookupFunction {
  return (host, options, callback) => {
    const startedAt = systemClock.monotonic();
    const fail = (error: Error) => callback(error, '', 0);
    resolve(host, (error, addresses) => {
      const known = error === null && addresses.length > 0;
      if (known && (allowPrivate || addresses.every(({ address }) => isPublicAddress(address)))) {
        if (options.all) return callback(null, addresses);
        const [first] = addresses;
        return callback(null, first!.address, first!.family);
      }
      if (allowPrivate) return fail(error ?? new Error('the name has no address'));
      const waitMs = PACE_MS - ((systemClock.monotonic() - startedAt) % PACE_MS);
      setTimeout(() => fail(new Error(NOWHERE_PUBLIC, { cause: error })), waitMs);
    });
  };
}

const NOWHERE_PUBLIC = 'the name leads to no public address';
const PACE_MS = 1000;

function retryAfter(heard: IncomingMessage | null): number | null {
  const said = heard?.headers['retry-after'];
  if (said === undefined || !/^\d{1,9}$/.test(said)) return null;
  return Math.min(MAX_WISH_MS, Number(said) * 1000);
}
