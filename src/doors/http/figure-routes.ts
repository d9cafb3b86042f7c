/** What flows now, and how it went: the figures of the overview. */
import { Hono } from 'hono';
import { refuseUnknownKeys } from '../../kernel/index.js';
import type { FigureRoom } from './http-rooms.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function figureRoutes(room: FigureRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/flow', async (c) => c.json(await room.flow()));

  routes.get('/admin/figures', async (c) => {
    const query = readQuery(c);
    refuseUnknownKeys(query, ['hours'], 'INVALID_PAYLOAD');
    return c.json(await room.figures(query.hours ?? '24'));
  });

  return routes;
}
