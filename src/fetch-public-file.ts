import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { FetchFile } from './doors/http/resend/attachment-input.js';
import { guardedLookup, isPublicAddress, type Resolve, systemResolve } from './events/index.js';
import { ByteCollector, messageOf, PostriderError, parseUrl } from './kernel/index.js';

/**
 * A file behind a URL, for attachments that are named instead of sent along. Only from public addresses, judged when
 * the connection is made; only over HTTPS; no redirects; within 15 seconds; never more than an email holds, and counted as it arrives.
 */
export function fetchPublicFile({
  allowPrivate,
  maxBytes,
  resolve: resolveName = systemResolve,
}: {
  allowPrivate: boolean;
  maxBytes: number;
  resolve?: Resolve;
}): FetchFile {
  return (url, field, { take, withinMs }) => {
    const refused = (what: string) => new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
    const target = parseUrl(url);
    const isHttps = target?.protocol === 'https:';
    if (!target || !(isHttps || (allowPrivate && target.protocol === 'http:')))
      return Promise.reject(refused('must be a URL that starts with https://'));
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host))
      return Promise.reject(refused('must lead to a public address'));
    return new Promise((resolve, reject) => {
      const request = (isHttps ? httpsRequest : httpRequest)(target, {
        agent: false,
        lookup: guardedLookup(resolveName, allowPrivate),
        signal: AbortSignal.timeout(Math.min(withinMs, WITHIN_MS)),
        headers: { 'User-Agent': 'Postrider-Attachments' },
      });
      request.on('error', (error) =>
        reject(refused(`could not be fetched: ${messageOf(error).slice(0, 200)}`)),
      );
      request.on('response', (response) => {
        const bytes = new ByteCollector();
        const stop = (what: string) => {
          reject(refused(what));
          request.destroy();
        };
        if (response.statusCode !== 200) return stop(`was answered with ${response.statusCode}`);
        response.on('data', (chunk: Buffer) => {
          if (bytes.length + chunk.length > maxBytes) return stop(`is larger than ${maxBytes} bytes`);
          try {
            take(chunk.length);
          } catch (error) {
            reject(error);
            request.destroy();
            return;
          }
          bytes.add(chunk);
        });
        response.on('error', (error) => reject(refused(`broke off: ${messageOf(error).slice(0, 200)}`)));
        response.on('end', () => resolve(bytes.bytes()));
      });
      request.end();
    });
  };
}

const WITHIN_MS = 15_000;
