/** The routes about emails to whole segments, for operators: look, one in full, take back. Making them is Resend's API. */
import { Hono } from 'hono';
import { BROADCASTS_QUERY } from './list-queries.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export interface BroadcastRoom {
  list(query: { companyId?: unknown; cursor?: unknown; limit?: unknown }): Promise<object>;
  get(id: string): Promise<object>;
  /** Until it has begun; throws where it has. */
  cancel(id: string): Promise<object>;
}

export function broadcastRoutes(broadcasts: BroadcastRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/broadcasts', async (c) => c.json(await broadcasts.list(readQuery(c, BROADCASTS_QUERY))));

  routes.get('/admin/broadcasts/:broadcast', async (c) =>
    c.json(await broadcasts.get(c.req.param('broadcast'))),
  );

  routes.post('/admin/broadcasts/:broadcast/cancel', async (c) =>
    c.json(await broadcasts.cancel(c.req.param('broadcast'))),
  );

  return routes;
}
