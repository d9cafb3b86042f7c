/** What is wrong now and was lately, in the words people are told. */
import { Hono } from 'hono';
import type { AlertRoom } from './http-rooms.js';
import type { HttpEnv } from './request-context.js';

export function alertRoutes(room: AlertRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/alerts', async (c) => c.json({ alerts: await room.list() }));

  return routes;
}
