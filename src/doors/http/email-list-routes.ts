/**
 * The routes about many emails: list by cursor, take back by filter, erase what is one person's.
 */
import { Hono } from 'hono';
import { actorOf, companyOf } from '../../access/index.js';
import { fields, needed } from '../../kernel/index.js';
import { CANCEL_FILTER, PERSON } from '../../outbox/index.js';
import type { HttpOperations } from './http-rooms.js';
import { EMAIL_LIST_QUERY } from './list-queries.js';
import { ACT_FIELDS, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function emailListRoutes(operations: HttpOperations): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/v1/emails', async (c) => {
    const query = readQuery(c, EMAIL_LIST_QUERY);
    const companyId = companyOf(c.get('caller'), query.companyId);
    return c.json(await operations.list({ ...query, ...(companyId !== undefined && { companyId }) }));
  });

  routes.post('/admin/emails/cancel', async (c) => {
    const { filter, dryRun = false } = await readAct(c, CANCEL_MANY);
    return c.json(await operations.cancelMany(filter, { dryRun, by: actorOf(c.get('caller')).name }));
  });

  routes.post('/admin/erasures', async (c) => c.json(await operations.erase(await readAct(c, PERSON))));

  return routes;
}

export const CANCEL_MANY = fields({
  filter: needed(CANCEL_FILTER, 'must say which emails are meant'),
  dryRun: ACT_FIELDS.dryRun,
});
