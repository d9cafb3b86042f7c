/**
 * Who is looking, for the dashboard: a person who signed in, or whoever is on an open loopback. It says which pages
 * there are, so that none is shown that would be refused.
 */
import { Hono } from 'hono';
import type { Caller } from '../../access/index.js';
import type { HttpEnv } from './request-context.js';

export interface SessionOptions {
  /** What `postrider dev` has besides. */
  inbox: boolean;
  preview: boolean;
}

/** What `GET /admin/session` answers. */
export interface SessionAnswer {
  name: string;
  email: string | null;
  adminId: string | null;
  role: 'root' | 'admin' | 'operator' | 'viewer';
  development: { inbox: boolean; templates: boolean };
}

export function sessionRoutes({ inbox, preview }: SessionOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  routes.get('/admin/session', (c) =>
    c.json({ ...described(c.get('caller')), development: { inbox, templates: preview } } as SessionAnswer),
  );
  return routes;
}

function described(caller: Caller): Omit<SessionAnswer, 'development'> {
  if (caller.kind === 'admin') {
    const { name, email, adminId, role } = caller;
    return { name, email, adminId, role };
  }
  return { name: caller.kind === 'root' ? caller.name : '', email: null, adminId: null, role: 'root' };
}
