/**
 * Large bodies at once, bounded over all requests: each is held until its answer is made, and one that would be too
 * many is asked to come again, before it is read. No company holds more than it leaves free, so a second one comes
 * through beside it, and strangers are counted apart: whoever sends slowly keeps nobody else waiting. Small bodies are
 * not counted; they cost less than counting.
 */
import type { MiddlewareHandler } from 'hono';
import type { Caller } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import type { HttpEnv } from './request-context.js';

export function bodiesInHand(options: {
  limitBytes: number;
  mostBytes?: number;
}): MiddlewareHandler<HttpEnv> {
  const { limitBytes, mostBytes = Math.max(MOST_BYTES, options.limitBytes) } = options;
  const known = createPool(mostBytes);
  const strangers = createPool(Math.max(mostBytes / 4, limitBytes));
  return async (c, next) => {
    const size = sizeOf(c.req.raw, limitBytes);
    if (size <= SMALL_BYTES) return next();
    const caller = c.get('caller');
    const release = caller.kind === 'anyone' ? strangers(size, null) : known(size, whoseOf(caller));
    if (release === null)
      throw new PostriderError('TOO_MANY_LARGE_BODIES', 'Too many large bodies are in hand.', {
        retryAfterSeconds: 1,
      });
    try {
      await next();
    } finally {
      release();
    }
  };
}

const MOST_BYTES = 128 * 1024 ** 2;
const SMALL_BYTES = 256 * 1024;

/** Takes so many bytes for a company, or for nobody in particular; null where there is no room. */
function createPool(mostBytes: number): (size: number, whose: string | null) => (() => void) | null {
  let inHand = 0;
  const held = new Map<string, number>();
  return (size, whose) => {
    const free = mostBytes - inHand - size;
    const own = whose === null ? 0 : (held.get(whose) ?? 0);
    if (free < 0 || (own > 0 && own + size > free)) return null;
    inHand += size;
    if (whose !== null) held.set(whose, own + size);
    return () => {
      inHand -= size;
      if (whose === null) return;
      const left = held.get(whose)! - size;
      if (left > 0) held.set(whose, left);
      else held.delete(whose);
    };
  };
}

function whoseOf(caller: Caller): string | null {
  return caller.kind === 'key' || caller.kind === 'user' ? caller.companyId : null;
}

/** What is not said may be as much as is read. More than that is refused without being read. */
function sizeOf(request: Request, limitBytes: number): number {
  if (request.method === 'GET' || request.method === 'HEAD') return 0;
  const length = request.headers.get('content-length');
  if (length === null) return request.headers.has('transfer-encoding') ? limitBytes : 0;
  const size = Number(length);
  return size <= limitBytes ? size : 0;
}
