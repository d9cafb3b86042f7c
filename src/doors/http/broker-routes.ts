/**
 * The routes about the broker's dead-letter queue: look, put back, remove. What an email's own dead letter is stands
 * in the ledger and has its routes there; here are also messages of other services that were refused.
 */
import { Hono } from 'hono';
import { actorOf } from '../../access/index.js';
import { flagOf, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export interface BrokerRoom {
  list(query: object): Promise<object>;
  requeue(which: object, options: { by: string; acceptDuplicates: boolean }): Promise<object>;
  purge(which: object): Promise<object>;
}

export function brokerRoutes(broker: BrokerRoom, bodyLimitBytes: number): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/broker/dead-letters', async (c) => c.json(await broker.list(readQuery(c))));

  routes.post('/admin/broker/dead-letters/requeue', async (c) => {
    const body = await readAct(c.req.raw, bodyLimitBytes, [...WHICH, 'acceptDuplicates']);
    const options = { by: actorOf(c.get('caller')).name, acceptDuplicates: flagOf(body, 'acceptDuplicates') };
    return c.json(await broker.requeue(whichOf(body), options));
  });

  routes.post('/admin/broker/dead-letters/purge', async (c) =>
    c.json(await broker.purge(whichOf(await readAct(c.req.raw, bodyLimitBytes, WHICH)))),
  );

  return routes;
}

const WHICH = ['messageIds', 'all'];

function whichOf(body: Record<string, unknown>): object {
  return Object.fromEntries(WHICH.filter((name) => name in body).map((name) => [name, body[name]]));
}
