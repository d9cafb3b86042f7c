/**
 * The routes about how much may be sent: limits per recipient and type, quotas per company. What a change may be is
 * checked by the room. An address is asked about in a body, since paths and queries end in logs along the way.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import type { QuotaPeriod } from '../../policy/index.js';
import type { HttpRooms } from './http-rooms.js';
import { readAct } from './read-act.js';
import type { HttpEnv } from './request-context.js';

export function limitRoutes({ rateLimits, quotas }: NonNullable<HttpRooms['limits']>): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/rate-limits', async (c) =>
    c.json({ rateLimits: await rateLimits.list({ companyId: companyIn(c) }) }),
  );

  routes.put('/admin/rate-limits/:type', async (c) => {
    const body = await readAct(c.req.raw, LIMIT, ['limit', 'windowSeconds', 'companyId']);
    const change = { ...body, type: c.req.param('type') } as Parameters<typeof rateLimits.set>[0];
    return c.json(await rateLimits.set(change));
  });

  routes.delete('/admin/rate-limits/:type', async (c) => {
    const which = { type: c.req.param('type'), companyId: companyIn(c) };
    if (await rateLimits.remove(which)) return c.json({ ...which, removed: true });
    throw new PostriderError('NOT_FOUND', 'No such limit has been set.', { field: 'type' });
  });

  routes.post('/admin/rate-limits/check', async (c) => {
    const body = await readAct(c.req.raw, LIMIT, ['address', 'type', 'companyId']);
    return c.json(await rateLimits.check(body as unknown as Parameters<typeof rateLimits.check>[0]));
  });

  routes.get('/admin/quotas', async (c) =>
    c.json({ quotas: await quotas.list({ companyId: companyIn(c) }) }),
  );

  routes.put('/admin/quotas/:companyId/:period', async (c) => {
    const { limit } = await readAct(c.req.raw, LIMIT, ['limit']);
    return c.json(await quotas.set({ ...whichQuota(c), limit: limit as number }));
  });

  routes.delete('/admin/quotas/:companyId/:period', async (c) => {
    const which = whichQuota(c);
    if (await quotas.remove(which)) return c.json({ ...which, removed: true });
    throw new PostriderError('NOT_FOUND', 'There is no such quota.', { field: 'period' });
  });

  return routes;
}

const LIMIT = 64 * 1024;

function companyIn(c: Context<HttpEnv>): string | undefined {
  return c.req.query('companyId');
}

function whichQuota(c: Context<HttpEnv>): { companyId: string; period: QuotaPeriod } {
  return { companyId: c.req.param('companyId') ?? '', period: c.req.param('period') as QuotaPeriod };
}
