/**
 * Around every request: one request id (the caller's or a new one, echoed in the answer), one log line,
 * and the security headers. It never logs a path's values, a query, a header or a body.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import type { Caller } from '../../access/index.js';
import { type Clock, type Logger, newId, PostriderError, readTraceparent } from '../../kernel/index.js';
import { readHeader } from './header-fields.js';
import { asPostriderError } from './problem.js';
import { refusal } from './refusal.js';
import type { RequestMemory } from './request-memory.js';

export interface HttpEnv {
  Variables: {
    requestId: string;
    /** Who is asking; `companyOf` says whose data that is. */
    caller: Caller;
    ip: string | null;
    /** How large a body the route reads. */
    bodyLimitBytes: number;
    /** Where what is held for the request is counted. */
    memory: RequestMemory;
    /** The store that was asked for, where there are several. */
    region?: string;
  };
}

export function requestContext({
  clock,
  logger,
  requested,
}: {
  clock: Clock;
  logger: Logger;
  requested?: ((request: Answered) => void) | undefined;
}): MiddlewareHandler<HttpEnv> {
  return async (c, next) => {
    const startedAt = clock.monotonic();
    const said = requestIdOf(c);
    c.set('requestId', typeof said === 'string' ? said : newId(clock.now()));
    if (said instanceof PostriderError) c.res = refusal(said, c);
    else await next();
    addHeaders(c);
    const elapsedMs = clock.monotonic() - startedAt;
    const line = {
      method: c.req.method,
      route: routeOf(c),
      status: c.res.status,
      durationMs: Math.round(elapsedMs),
      requestId: c.get('requestId'),
    };
    requested?.({ method: c.req.method, route: line.route, status: c.res.status, durationMs: elapsedMs });
    // Probes and the inbox page ask all the time; their lines would bury the others.
    if (QUIET.test(c.req.path)) logger.debug(line, 'http request');
    else logger.info(line, 'http request');
  };
}

/** What an email remembers of the request it came by. */
export function requestIds(c: Context<HttpEnv>): { requestId: string; traceparent?: string } {
  const traceparent = readTraceparent(c.req.header('traceparent'));
  return { requestId: c.get('requestId'), ...(traceparent !== undefined && { traceparent }) };
}

export interface Answered {
  method: string;
  route: string;
  status: number;
  durationMs: number;
}

const QUIET = /^\/(?:health\/|metrics$|dev\/inbox|dashboard|admin\/(?:flow|session)$|$)/;
const API_POLICY = "default-src 'none'; frame-ancestors 'none'";

function requestIdOf(c: Context): string | undefined | PostriderError {
  try {
    return readHeader(c, 'X-Request-Id');
  } catch (error) {
    return asPostriderError(error);
  }
}

function addHeaders(c: Context<HttpEnv>): void {
  const { headers } = c.res;
  headers.set('X-Request-Id', c.get('requestId'));
  headers.set('X-Content-Type-Options', 'nosniff');
  headers.set('Referrer-Policy', 'no-referrer');
  headers.set('Cross-Origin-Resource-Policy', 'same-origin');
  if (!headers.has('Cache-Control')) headers.set('Cache-Control', 'no-store');
  if (!headers.has('Content-Security-Policy')) headers.set('Content-Security-Policy', API_POLICY);
}

/** The pattern, not the path: ids do not belong in a label. */
function routeOf(c: Context<HttpEnv>): string {
  const path = matchedRoutes(c).at(-1)?.path;
  return path === undefined || path === '/*' || path === '*' ? '(none)' : path;
}
