/**
 * Signing in and out: password, code, session. Until the code is right the browser holds a cookie that opens the code
 * step and nothing else. Answers carry no token; that is what the cookies are for.
 */
import { type Context, Hono } from 'hono';
import { type Access, type AdminCaller, actorOf, type Place } from '../../access/index.js';
import { field, fields, PostriderError } from '../../kernel/index.js';
import { readAct } from './read-act.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';
import {
  dropCookie,
  readCookie,
  refuseForeignSignIn,
  refuseForeignWrite,
  writeCookie,
} from './session-cookies.js';

export function authRoutes(access: Access): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/auth/sign-in', async (c) => {
    refuseForeignSignIn(c);
    const { token, expiresAt } = await access.signIn.begin(await readJsonBody(c), placeOf(c));
    writeCookie(c, 'code', token, expiresAt);
    return c.json({ next: 'code', expiresAt });
  });

  routes.post('/auth/code', async (c) => {
    refuseForeignSignIn(c);
    const token = waiting(c);
    const opened = await access.signIn.finish(token, await readJsonBody(c), placeOf(c));
    const before = readCookie(c, 'session');
    if (before !== undefined) await access.sessions.forget(before);
    dropCookie(c, 'code');
    writeCookie(c, 'session', opened.token, opened.expiresAt);
    return c.json({ admin: opened.admin, expiresAt: opened.expiresAt });
  });

  routes.post('/auth/code/resend', async (c) => {
    refuseForeignSignIn(c);
    const token = waiting(c);
    const { expiresAt } = await access.signIn.resend(token);
    writeCookie(c, 'code', token, expiresAt);
    return c.json({ next: 'code', expiresAt });
  });

  routes.post('/auth/sign-out', async (c) => {
    refuseForeignWrite(c);
    const admin = c.get('caller') as AdminCaller;
    const by = actorOf(admin, { ip: c.get('ip'), requestId: c.get('requestId') });
    if (await everywhere(c)) await access.sessions.closeAll(admin, by);
    else await access.sessions.close(readCookie(c, 'session') ?? '', admin, by);
    dropCookie(c, 'session');
    return c.json({ signedOut: true });
  });

  routes.get('/auth/me', (c) => {
    const { adminId, email, name, role } = c.get('caller') as AdminCaller;
    return c.json({ id: adminId, email, name, role });
  });

  return routes;
}

export const SIGN_OUT = fields({ everywhere: field.flag('Every session of this account.') });

function waiting(c: Context<HttpEnv>): string {
  const token = readCookie(c, 'code');
  if (token !== undefined) return token;
  throw new PostriderError('SIGN_IN_NOT_BEGUN', 'There is no sign-in that waits for a code.');
}

/** `{ "everywhere": true }`, or no body at all. */
async function everywhere(c: Context<HttpEnv>): Promise<boolean> {
  return (await readAct(c, SIGN_OUT)).everywhere ?? false;
}

function placeOf(c: Context<HttpEnv>): Place {
  const userAgent = c.req.header('user-agent');
  return {
    ip: c.get('ip'),
    requestId: c.get('requestId'),
    ...(userAgent !== undefined && { userAgent }),
  };
}
