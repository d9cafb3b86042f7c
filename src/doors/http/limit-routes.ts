/**
 * The routes about how much may be sent: limits per recipient and type, quotas per company. What a change may be is
 * checked by the room. An address is asked about in a body, since paths and queries end in logs along the way.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import {
  COUNTED_BY,
  type CountedBy,
  QUOTA_AMOUNT,
  type QuotaPeriod,
  RATE_LIMIT_CHANGE,
} from '../../policy/index.js';
import type { HttpRooms } from './http-rooms.js';
import { COMPANY_QUERY, QUOTAS_QUERY } from './list-queries.js';
import { readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function limitRoutes({ rateLimits, quotas }: NonNullable<HttpRooms['limits']>): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/rate-limits', async (c) =>
    c.json({ rateLimits: await rateLimits.list({ ...companyIn(c) }) }),
  );

  routes.put('/admin/rate-limits/:type', async (c) => {
    const { companyId, ...change } = await readAct(c, RATE_LIMIT_CHANGE);
    const of = { type: c.req.param('type'), companyId: companyId ?? undefined };
    return c.json(await rateLimits.set({ ...of, ...change }));
  });

  routes.delete('/admin/rate-limits/:type', async (c) => {
    const which = { type: c.req.param('type'), ...companyIn(c) };
    if (await rateLimits.remove(which)) return c.json({ ...which, removed: true });
    throw new PostriderError('NOT_FOUND', 'No such limit has been set.', { field: 'type' });
  });

  routes.post('/admin/rate-limits/check', async (c) => {
    return c.json(await rateLimits.check(await readPerson(c)));
  });

  routes.post('/admin/rate-limits/reset', async (c) => {
    return c.json({ counted: await rateLimits.reset(await readPerson(c)) });
  });

  routes.get('/admin/quotas', async (c) => c.json(await quotas.list(readQuery(c, QUOTAS_QUERY))));

  routes.put('/admin/quotas/:companyId/:period', async (c) => {
    const amount = await readAct(c, QUOTA_AMOUNT);
    return c.json(await quotas.set({ ...whichQuota(c), ...amount }));
  });

  routes.delete('/admin/quotas/:companyId/:period', async (c) => {
    const which = whichQuota(c);
    if (await quotas.remove(which)) return c.json({ ...which, removed: true });
    throw new PostriderError('NOT_FOUND', 'There is no such quota.', { field: 'period' });
  });

  return routes;
}

async function readPerson(c: Context<HttpEnv>): Promise<CountedBy> {
  const person = await readAct(c, COUNTED_BY);
  return 'address' in person ? { ...person, address: person.address.address } : person;
}

function companyIn(c: Context<HttpEnv>): { companyId?: string } {
  return readQuery(c, COMPANY_QUERY);
}

function whichQuota(c: Context<HttpEnv>): { companyId: string; period: QuotaPeriod } {
  return { companyId: c.req.param('companyId') ?? '', period: c.req.param('period') as QuotaPeriod };
}
