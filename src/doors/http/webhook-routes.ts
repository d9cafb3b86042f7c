/**
 * Where to tell what became of emails, over HTTP: under /v1 a company's own by its key, under /admin any company's by
 * operators. A secret is in the answer that made it and in no other.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import {
  DELIVERY_PAGE_FIELDS,
  type EndpointChange,
  type EndpointInput,
  WEBHOOK_INPUTS,
  type Webhooks,
} from '../../events/index.js';
import { EMAIL_FIELDS } from '../../intake/index.js';
import { fields } from '../../kernel/index.js';
import { COMPANY_QUERY } from './list-queries.js';
import { NOTHING, readAct } from './read-act.js';
import { readJsonBody } from './read-json-body.js';
import { inQuery, readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function webhookRoutes(webhooks: Webhooks): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  for (const base of ['/v1/webhooks', '/admin/webhooks']) addRoutes(routes, base, webhooks);
  return routes;
}

function addRoutes(routes: Hono<HttpEnv>, base: string, webhooks: Webhooks): void {
  routes.get(base, async (c) => c.json({ webhooks: await webhooks.list(scopeOf(c)) }));

  routes.post(base, async (c) => {
    const { companyId } = readQuery(c, COMPANY_QUERY);
    const body = (await readJsonBody(c)) as EndpointInput | null;
    const asked = companyOf(c.get('caller'), body?.companyId ?? companyId);
    const input = asked === undefined ? body : { ...body, companyId: asked };
    return c.json(await webhooks.create(input as EndpointInput), 201);
  });

  routes.get(`${base}/:id`, async (c) => c.json(await webhooks.get(c.req.param('id'), scopeOf(c))));

  routes.patch(`${base}/:id`, async (c) => {
    const change = (await readJsonBody(c)) as EndpointChange;
    return c.json(await webhooks.change(c.req.param('id'), change, scopeOf(c)));
  });

  routes.delete(`${base}/:id`, async (c) => {
    await webhooks.remove(c.req.param('id'), scopeOf(c));
    return c.json({ id: c.req.param('id'), removed: true });
  });

  routes.post(`${base}/:id/rotate`, async (c) => {
    const options = await readAct(c, WEBHOOK_INPUTS.rotate);
    return c.json(await webhooks.rotate(c.req.param('id'), { ...scopeOf(c), ...options }));
  });

  routes.get(`${base}/:id/deliveries`, async (c) => {
    const { companyId: asked, ...page } = readQuery(c, DELIVERIES_QUERY);
    const companyId = companyOf(c.get('caller'), asked);
    return c.json(await webhooks.deliveries(c.req.param('id'), { companyId, ...page }));
  });

  routes.get(`${base}/:id/deliveries/:delivery`, async (c) =>
    c.json(await webhooks.delivery(c.req.param('id'), c.req.param('delivery'), scopeOf(c))),
  );

  routes.post(`${base}/:id/deliveries/:delivery/replay`, async (c) => {
    await readAct(c, NOTHING);
    const which = { deliveryId: c.req.param('delivery') };
    return c.json(await webhooks.replay(c.req.param('id'), which, scopeOf(c)));
  });

  routes.post(`${base}/:id/replay`, async (c) => {
    const range = await readAct(c, WEBHOOK_INPUTS.replay);
    return c.json(await webhooks.replay(c.req.param('id'), range, scopeOf(c)));
  });
}

export const DELIVERIES_QUERY = fields({
  companyId: EMAIL_FIELDS.companyId,
  ...{ ...DELIVERY_PAGE_FIELDS, limit: inQuery.number(DELIVERY_PAGE_FIELDS.limit) },
});

function scopeOf(c: Context<HttpEnv>): { companyId?: string | undefined } {
  return { companyId: companyOf(c.get('caller'), readQuery(c, COMPANY_QUERY).companyId) };
}
