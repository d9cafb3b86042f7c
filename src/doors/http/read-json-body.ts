/**
 * The JSON of a request, read with its limits held while it arrives: type and bytes here, UTF-8 and shape in the kernel.
 */
import type { Context } from 'hono';
import { PostriderError, readJsonInTurns } from '../../kernel/index.js';
import { type BodySource, bodyOf, readBytes } from './read-body.js';
import type { HttpEnv } from './request-context.js';

export function readJsonBody(c: Context<HttpEnv>): Promise<unknown> {
  return readJsonRequest(bodyOf(c));
}

export async function readJsonRequest(source: BodySource): Promise<unknown> {
  checkType(source.request.headers);
  return readJsonInTurns(() => readBytes(source));
}

const JSON_TYPE = /^application\/json\s*(?:;\s*charset\s*=\s*"?utf-8"?\s*)?$/i;

function checkType(headers: Headers): void {
  if (!JSON_TYPE.test((headers.get('content-type') ?? '').trim())) {
    throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'The body must be application/json in UTF-8.', {
      field: 'Content-Type',
    });
  }
  const encoding = headers.get('content-encoding');
  if (encoding !== null && encoding.toLowerCase() !== 'identity') {
    throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'The body must not be compressed.', {
      field: 'Content-Encoding',
    });
  }
}
