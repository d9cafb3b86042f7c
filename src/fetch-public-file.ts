import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import { guardedLookup, isPublicAddress, systemResolve } from './events/index.js';
import { messageOf, PostriderError } from './kernel/index.js';

/**
 * A file behind a URL, for attachments that are named instead of sent along. Only from public addresses, judged when
 * the connection is made; only over HTTPS; no redirects; within 15 seconds; never more than an email holds.
 */
export function fetchPublicFile({ allowPrivate, maxBytes }: { allowPrivate: boolean; maxBytes: number }) {
  return (url: string, field: string): Promise<Buffer> => {
    const refused = (what: string) => new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
    const target = URL.canParse(url) ? new URL(url) : null;
    const isHttps = target?.protocol === 'https:';
    if (!target || !(isHttps || (allowPrivate && target.protocol === 'http:')))
      return Promise.reject(refused('must be a URL that starts with https://'));
    const host = target.hostname.replace(/^\[|\]$/g, '');
    if (!allowPrivate && isIP(host) !== 0 && !isPublicAddress(host))
      return Promise.reject(refused('must lead to a public address'));
    return new Promise((resolve, reject) => {
      const request = (isHttps ? httpsRequest : httpRequest)(target, {
        agent: false,
        lookup: guardedLookup(systemResolve, allowPrivate),
        signal: AbortSignal.timeout(WITHIN_MS),
        headers: { 'User-Agent': 'Postrider-Attachments' },
      });
      request.on('error', (error) =>
        reject(refused(`could not be fetched: ${messageOf(error).slice(0, 200)}`)),
      );
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let size = 0;
        const stop = (what: string) => {
          reject(refused(what));
          request.destroy();
        };
        if (response.statusCode !== 200) return stop(`was answered with ${response.statusCode}`);
        response.on('data', (chunk: Buffer) => {
          size += chunk.length;
          if (size > maxBytes) stop(`is larger than ${maxBytes} bytes`);
          else chunks.push(chunk);
        });
        response.on('error', (error) => reject(refused(`broke off: ${messageOf(error).slice(0, 200)}`)));
        response.on('end', () => resolve(Buffer.concat(chunks)));
      });
      request.end();
    });
  };
}

const WITHIN_MS = 15_000;
