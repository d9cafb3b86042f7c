/**
 * The routes about many emails: list by cursor, take back by filter, erase what is one person's.
 */
import { Hono } from 'hono';
import { actorOf, companyOf } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import type { HttpOperations } from './http-rooms.js';
import { flagOf, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function emailListRoutes(operations: HttpOperations, bodyLimitBytes: number): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/v1/emails', async (c) => {
    const query = readQuery(c);
    const companyId = companyOf(c.get('caller'), query.companyId);
    return c.json(await operations.list({ ...query, ...(companyId !== undefined && { companyId }) }));
  });

  routes.post('/admin/emails/cancel', async (c) => {
    const body = await readAct(c.req.raw, bodyLimitBytes, ['filter', 'dryRun']);
    const { filter } = body;
    if (typeof filter !== 'object' || filter === null || Array.isArray(filter))
      throw new PostriderError('INVALID_PAYLOAD', 'filter must say which emails are meant.', {
        field: 'filter',
      });
    const by = actorOf(c.get('caller')).name;
    return c.json(await operations.cancelMany(filter, { dryRun: flagOf(body, 'dryRun'), by }));
  });

  routes.post('/admin/erasures', async (c) =>
    c.json(await operations.erase(await readAct(c.req.raw, bodyLimitBytes, PERSON))),
  );

  return routes;
}

const PERSON = ['email', 'externalId', 'companyId'];
