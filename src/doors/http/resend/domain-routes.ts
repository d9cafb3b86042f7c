/**
 * A tenant's domains. Verifying looks for a TXT record with the tenant's token; tracking, encryption and receiving are
 * refused where they are asked for, since Postrider's routes decide about them.
 */
import { type Context, Hono } from 'hono';
import { actorOf, type Domain } from '../../../access/index.js';
import { PostriderError } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendDomainRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { domains, defaultCompany } = rooms;
  const by = (c: Context<HttpEnv>) =>
    actorOf(c.get('caller'), { ip: c.get('ip'), requestId: c.get('requestId') });

  routes.post('/domains', async (c) => {
    const body = await readBody(c);
    if (body.name === undefined) throw missing('name');
    return c.json(whole(await domains.create(callerCompany(c, defaultCompany), body, by(c))), 201);
  });

  routes.get('/domains', async (c) => {
    const listed = await domains.list(callerCompany(c, defaultCompany));
    return c.json(cutPage(listed.map(brief), pageQuery(c, { all: true })));
  });

  routes.get('/domains/:id', async (c) => {
    const domain = await domains.get(callerCompany(c, defaultCompany), c.req.param('id'));
    if (domain === null) throw new PostriderError('NOT_FOUND', 'Domain not found', { field: 'id' });
    return c.json({ object: 'domain', ...whole(domain) });
  });

  routes.patch('/domains/:id', async (c) => {
    const settings = await readBody(c);
    const { id } = await domains.change(callerCompany(c, defaultCompany), c.req.param('id'), settings);
    return c.json({ object: 'domain', id });
  });

  routes.post('/domains/:id/verify', async (c) => {
    const { id } = await domains.verify(callerCompany(c, defaultCompany), c.req.param('id'), by(c));
    return c.json({ object: 'domain', id });
  });

  routes.delete('/domains/:id', async (c) => {
    const id = c.req.param('id').toLowerCase();
    await domains.remove(callerCompany(c, defaultCompany), id, by(c));
    return c.json({ object: 'domain', id, deleted: true });
  });

  return routes;
}

function brief({ id, name, status, createdAt, region }: Domain) {
  return {
    id,
    name,
    status,
    created_at: createdAt,
    region,
    capabilities: { sending: 'enabled', receiving: 'disabled' },
    open_tracking: false,
    click_tracking: false,
  };
}

function whole(domain: Domain) {
  const { name, value } = domain.record;
  return {
    ...brief(domain),
    records: [{ record: 'Verification', name, type: 'TXT', ttl: 'Auto', value, status: domain.status }],
  };
}
