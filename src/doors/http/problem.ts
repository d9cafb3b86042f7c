/**
 * An error as RFC 9457 `application/problem+json`. What the caller did wrong is told in full; of a fault
 * on our side only the table's sentence leaves the process, never the text of the error itself.
 */
import { isPostriderError, PostriderError } from '../../kernel/index.js';
import { rateLimitHeaders } from './rate-limit-headers.js';

export function problem(error: PostriderError, requestId: string): Response {
  const body = {
    type: `urn:postrider:error:${error.code}`,
    title: titleOf(error.code),
    status: error.status,
    code: error.code,
    ...(error.field !== undefined && { field: error.field }),
    detail: error.isShown ? error.message : error.help,
    help: error.help,
    ...(error.rateLimit && { rateLimit: error.rateLimit }),
    requestId,
  };
  const headers: Record<string, string> = { 'Content-Type': 'application/problem+json' };
  const retryAfterSeconds = retryAfterOf(error);
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  if (error.rateLimit) Object.assign(headers, rateLimitHeaders(error.rateLimit, retryAfterSeconds));
  if (error.status === 401) headers['WWW-Authenticate'] = 'Bearer realm="postrider"';
  return new Response(JSON.stringify(body), { status: error.status, headers });
}

/** Anything thrown as the error the table knows; what it does not know is INTERNAL. */
export function asPostriderError(thrown: unknown): PostriderError {
  if (isPostriderError(thrown)) return thrown;
  return new PostriderError('INTERNAL', 'Something failed that should not have.', { cause: thrown });
}

/** A refusal that passes by itself always says when to come back, at the latest in a second's steps. */
function retryAfterOf(error: PostriderError): number | undefined {
  if (error.retryAfterSeconds !== undefined) return Math.max(0, Math.ceil(error.retryAfterSeconds));
  const passes = error.retryable && error.status !== 500;
  return passes ? 1 : undefined;
}

function titleOf(code: string): string {
  const words = code.toLowerCase().replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
