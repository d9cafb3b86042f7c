/**
 * Webhooks as Resend's clients set them up: endpoints, their secret, and what was told to them. Events of Resend that
 * never happen here (contacts, domains, inboxes) may be named beside others, and are left out.
 */
import { type Context, Hono } from 'hono';
import {
  WEBHOOK_EVENTS,
  type WebhookDelivery,
  type WebhookEndpoint,
  type WebhookEvent,
} from '../../../events/index.js';
import { type Fields, invalidPayload, isUuid, PostriderError } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, listOf, type PageQuery, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendWebhookRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { webhooks, defaultCompany } = rooms;
  const own = (c: Context<HttpEnv>) => ({ companyId: callerCompany(c, defaultCompany) });
  const idOf = (c: Context) => (c.req.param('id') ?? '').toLowerCase();

  routes.post('/webhooks', async (c) => {
    const { endpoint, events } = await readBody(c);
    if (endpoint === undefined) throw missing('endpoint');
    if (events === undefined) throw missing('events');
    const made = await webhooks.create({ ...own(c), url: endpoint as string, events: eventsOf(events) });
    return c.json({ object: 'webhook', id: made.id, signing_secret: made.secret }, 201);
  });

  routes.get('/webhooks', async (c) =>
    c.json(cutPage((await webhooks.list(own(c))).map(shown), pageQuery(c))),
  );

  routes.get('/webhooks/:id', async (c) => {
    const endpoint = await webhooks.get(idOf(c), own(c));
    const secret = await webhooks.secret(endpoint.id, own(c));
    return c.json({ object: 'webhook', ...shown(endpoint), signing_secret: secret });
  });

  routes.patch('/webhooks/:id', async (c) => {
    const change = changeOf(await readBody(c));
    const { id } = await webhooks.change(idOf(c), change, own(c));
    return c.json({ object: 'webhook', id });
  });

  routes.delete('/webhooks/:id', async (c) => {
    await webhooks.remove(idOf(c), own(c));
    return c.json({ object: 'webhook', id: idOf(c), deleted: true });
  });

  routes.post('/webhooks/:id/signing-secret/rotate', async (c) => {
    const { secret } = await webhooks.rotate(idOf(c), own(c));
    return c.json({ object: 'webhook', id: idOf(c), signing_secret: secret });
  });

  async function deliveriesOf(c: Context<HttpEnv>, { limit, after, before }: PageQuery) {
    const from = (cursor: string | null, many: number) =>
      webhooks.deliveries(idOf(c), { ...own(c), limit: many, ...(cursor !== null && { cursor }) });
    if (before === null) {
      const page = await from(after, limit);
      return listOf(page.deliveries.map(told), page.nextCursor !== null);
    }
    const newer: WebhookDelivery[] = [];
    for (let cursor: string | null = null, pages = 0; pages < MAX_BACK_PAGES; pages += 1) {
      const page = await from(cursor, 100);
      newer.push(...page.deliveries.filter(({ id }) => id > before));
      cursor = page.nextCursor;
      if (cursor === null || cursor <= before) break;
    }
    return listOf(newer.slice(-limit).map(told), newer.length > limit);
  }

  routes.get('/webhooks/:id/events', async (c) => c.json(await deliveriesOf(c, pageQuery(c))));

  const deliveryOf = async (c: Context<HttpEnv>) => {
    const event = c.req.param('event') ?? '';
    if (!isUuid(event)) throw new PostriderError('NOT_FOUND', 'Webhook event not found', { field: 'id' });
    return webhooks.delivery(idOf(c), event, own(c));
  };

  routes.get('/webhooks/:id/events/:event', async (c) => {
    const delivery = await deliveryOf(c);
    return c.json({
      object: 'webhook_event',
      ...told(delivery),
      next_attempt_at: delivery.nextAttemptAt,
      payload: delivery.payload,
    });
  });

  routes.post('/webhooks/:id/events/:event/replay', async (c) => {
    const { id } = await deliveryOf(c);
    await webhooks.replay(idOf(c), { deliveryId: id }, own(c));
    return c.json({ object: 'webhook_event', id });
  });

  routes.get('/webhooks/:id/events/:event/attempts', async (c) => {
    const { requests } = await deliveryOf(c);
    const listed = requests.map((request) => ({
      id: request.id,
      http_status_code: request.httpStatus,
      response: request.response ?? request.error,
      sent_at: request.sentAt,
    }));
    return c.json(cutPage(listed, pageQuery(c)));
  });

  return routes;
}

const MAX_BACK_PAGES = 20;
const OF_RESEND = /^(?:email|contact|domain|suppression|topic|inbox)\.[a-z_.]{1,40}$/;

function eventsOf(input: unknown): WebhookEvent[] {
  if (!Array.isArray(input) || input.length === 0 || input.length > 100)
    throw invalidPayload('events', 'must be a list of types of events');
  const known = input.filter((name): name is WebhookEvent => WEBHOOK_EVENTS.some((event) => event === name));
  const strange = input.findIndex((name) => typeof name !== 'string' || !OF_RESEND.test(name));
  if (strange !== -1) throw invalidPayload(`events[${strange}]`, 'is not an event');
  if (known.length === 0)
    throw invalidPayload('events', `has none of those that happen here: ${WEBHOOK_EVENTS.join(', ')}`);
  return known;
}

function changeOf({ endpoint, events, status }: Fields) {
  if (status !== undefined && status !== 'enabled' && status !== 'disabled')
    throw invalidPayload('status', 'must be enabled or disabled');
  return {
    ...(endpoint !== undefined && { url: endpoint as string }),
    ...(events !== undefined && { events: eventsOf(events) }),
    ...(status !== undefined && { status: status as 'enabled' | 'disabled' }),
  };
}

function shown({ id, url, events, status, createdAt }: WebhookEndpoint) {
  return { id, endpoint: url, created_at: createdAt, status, events };
}

function told({ id, type, status, createdAt }: WebhookDelivery) {
  return { id, type, created_at: createdAt, status };
}
