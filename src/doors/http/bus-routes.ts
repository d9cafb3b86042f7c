/**
 * The routes about the event bus: how many events wait for its broker, and the events of other services that could not
 * be taken. Putting one back gives it one more try.
 */
import { Hono } from 'hono';
import { whichMessages } from '../../outbox/index.js';
import { MESSAGES_QUERY } from './list-queries.js';
import { readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export interface BusRoom {
  status(): Promise<object>;
  list(query: object): Promise<object>;
  retry(which: object): Promise<object>;
}

export function busRoutes(bus: BusRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/bus', async (c) => c.json(await bus.status()));

  routes.get('/admin/bus/dead-letters', async (c) => c.json(await bus.list(readQuery(c, MESSAGES_QUERY))));

  routes.post('/admin/bus/dead-letters/retry', async (c) =>
    c.json(await bus.retry(await readAct(c, BUS_RETRY))),
  );

  return routes;
}

export const BUS_RETRY = whichMessages({});
