/**
 * In front of every route: learns who is asking, looks up what the route asks for, lets pass or refuses, and has what
 * operators change written into the audit log before it happens. A route the table does not know is closed.
 */
import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { type Access, actorOf, type Caller } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import { type AccessGuard, isSafeMethod } from './access-guard.js';
import { bodyLimitOf } from './body-limits.js';
import { clientAddress } from './client-address.js';
import { identifyCaller } from './identify-caller.js';
import type { HttpEnv } from './request-context.js';
import { mayUse, ROUTE_ACCESS, type RouteAccess } from './route-access.js';

export interface GuardOptions {
  guard: AccessGuard;
  rootName: string;
  access: Access | undefined;
  trustedProxies: number;
  bodyLimitBytes: number;
}

export function guardRoutes(options: GuardOptions): MiddlewareHandler<HttpEnv> {
  const { guard, rootName, access, trustedProxies } = options;
  return async (c, next) => {
    c.set('ip', clientAddress(c, trustedProxies));
    const route = routeOf(c);
    c.set('bodyLimitBytes', bodyLimitOf(route, options.bodyLimitBytes));
    const row = route === null ? null : ROUTE_ACCESS[route];
    const caller = await callerFor(c, row);
    c.set('caller', caller);
    if (route === null) return next(); // answered with 404 or 405
    if (!row) throw new PostriderError('FORBIDDEN', 'This route is open to nobody.');
    if (!mayUse(caller, row.right)) throw notAllowed(caller);
    const acts = access && isAct(c, caller, row);
    if (!acts) return next();
    const by = actorOf(caller, { ip: c.get('ip'), requestId: c.get('requestId') });
    const entry = { action: route, target: targetOf(c) };
    await access.audit.write(by, { ...entry, outcome: 'asked' });
    let status = 500;
    try {
      await next();
      status = c.res.status;
    } catch (error) {
      status = error instanceof PostriderError ? error.status : 500;
      throw error;
    } finally {
      if (status >= 400) await access.audit.write(by, { ...entry, outcome: 'refused', detail: { status } });
    }
  };

  async function callerFor(c: Context<HttpEnv>, row: RouteAccess | null | undefined): Promise<Caller> {
    if (row?.right === 'anyone')
      return guard(c) === null ? { kind: 'root', name: rootName } : { kind: 'anyone' };
    if (row?.right !== 'local') return identifyCaller(c, { guard, rootName, access });
    const refusal = guard(c);
    if (refusal) throw refusal;
    return { kind: 'root', name: rootName };
  }
}

/** The row of the table a request falls under: the method and the pattern of the first handler that would answer. */
function routeOf(c: Context<HttpEnv>): string | null {
  const first = matchedRoutes(c).find(({ method }) => method !== 'ALL');
  return first ? `${first.method} ${first.path}` : null;
}

/** A change by someone who operates. Emails an operator's key sends are in the ledger, not here. */
function isAct(c: Context<HttpEnv>, caller: Caller, { right, audited }: RouteAccess): boolean {
  if (isSafeMethod(c.req.method) || audited !== undefined || right === 'anyone' || right === 'local')
    return false;
  if (caller.kind === 'admin') return true;
  return caller.kind === 'root' && right !== 'send' && right !== 'write';
}

/** What the path names, but for addresses: the log is kept for ever and people may ask to be forgotten. */
function targetOf(c: Context<HttpEnv>): string | null {
  const named = c.req.path
    .split('/')
    .slice(3)
    .map((part) => (/@|%40/i.test(part) ? '(address)' : part.slice(0, 128)))
    // A path may hold any byte; the store takes no NUL.
    .map((part) => part.replace(/[\u0000-\u001f\u007f]/g, encodeURIComponent));
  return named.length === 0 ? null : named.join('/');
}

function notAllowed(caller: Caller): PostriderError {
  const who = caller.kind === 'admin' ? `The role ${caller.role}` : 'This key';
  return new PostriderError('FORBIDDEN', `${who} may not do that.`);
}
