/**
 * The routes about the broker's dead-letter queue: look, put back, remove. What an email's own dead letter is stands
 * in the ledger and has its routes there; here are also messages of other services that were refused.
 */
import { Hono } from 'hono';
import { actorOf } from '../../access/index.js';
import { whichMessages } from '../../outbox/index.js';
import { MESSAGES_QUERY } from './list-queries.js';
import { ACT_FIELDS, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export interface BrokerRoom {
  list(query: object): Promise<object>;
  requeue(which: object, options: { by: string; acceptDuplicates: boolean }): Promise<object>;
  purge(which: object): Promise<object>;
}

export function brokerRoutes(broker: BrokerRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/broker/dead-letters', async (c) =>
    c.json(await broker.list(readQuery(c, MESSAGES_QUERY))),
  );

  routes.post('/admin/broker/dead-letters/requeue', async (c) => {
    const { acceptDuplicates = false, ...which } = await readAct(c, BROKER_REQUEUE);
    return c.json(await broker.requeue(which, { by: actorOf(c.get('caller')).name, acceptDuplicates }));
  });

  routes.post('/admin/broker/dead-letters/purge', async (c) =>
    c.json(await broker.purge(await readAct(c, BROKER_PURGE))),
  );

  return routes;
}

export const BROKER_REQUEUE = whichMessages({ acceptDuplicates: ACT_FIELDS.acceptDuplicates });
export const BROKER_PURGE = whichMessages({});
