/**
 * Large bodies at once, bounded over all requests: each is held until its answer is made, and one that would be too
 * many is asked to come again, before it is read. Small ones are not counted; they cost less than counting.
 */
import type { MiddlewareHandler } from 'hono';
import { PostriderError } from '../../kernel/index.js';

export function bodiesInHand(options: { limitBytes: number; mostBytes?: number }): MiddlewareHandler {
  const { limitBytes, mostBytes = Math.max(MOST_BYTES, options.limitBytes) } = options;
  let inHand = 0;
  return async (c, next) => {
    const size = sizeOf(c.req.raw, limitBytes);
    if (size <= SMALL_BYTES) return next();
    if (inHand + size > mostBytes)
      throw new PostriderError('TOO_MANY_LARGE_BODIES', 'Too many large bodies are in hand.', {
        retryAfterSeconds: 1,
      });
    inHand += size;
    try {
      await next();
    } finally {
      inHand -= size;
    }
  };
}

const MOST_BYTES = 128 * 1024 ** 2;
const SMALL_BYTES = 256 * 1024;

/** What is not said may be as much as is read. More than that is refused without being read. */
function sizeOf(request: Request, limitBytes: number): number {
  if (request.method === 'GET' || request.method === 'HEAD') return 0;
  const length = request.headers.get('content-length');
  if (length === null) return request.headers.has('transfer-encoding') ? limitBytes : 0;
  const size = Number(length);
  return size <= limitBytes ? size : 0;
}
