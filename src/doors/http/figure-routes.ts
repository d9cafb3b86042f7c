/** What flows now, and how it went: the figures of the overview. */
import { Hono } from 'hono';
import { fields } from '../../kernel/index.js';
import { FIGURE_HOURS } from '../../views/index.js';
import type { FigureRoom } from './http-rooms.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function figureRoutes(room: FigureRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/flow', async (c) => c.json(await room.flow()));

  routes.get('/admin/figures', async (c) => {
    const { hours = '24' } = readQuery(c, FIGURES_QUERY);
    return c.json(await room.figures(hours));
  });

  return routes;
}

export const FIGURES_QUERY = fields({ hours: FIGURE_HOURS });
