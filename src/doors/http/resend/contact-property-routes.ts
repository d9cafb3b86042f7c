/** What is kept of contacts, and what stands for it where nothing is known. */
import { type Context, Hono } from 'hono';
import { invalidPayload, parseChoice, parsePattern } from '../../../kernel/index.js';
import { type ContactProperty, propertyNotFound } from '../../../recipients/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendContactPropertyRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { contactProperties, defaultCompany } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, defaultCompany);

  routes.post('/contact-properties', async (c) => {
    const body = await readBody(c);
    const key = parsePattern(
      body.key,
      'key',
      /^[A-Za-z][A-Za-z0-9_]{0,49}$/,
      'letters, digits and underscores, beginning with a letter, at most 50',
    );
    if (key === null) throw missing('key');
    const type = parseChoice(body.type, 'type', ['string', 'number'] as const);
    if (type === null) throw missing('type');
    const fallback = readFallback(body.fallback_value);
    const { id } = await contactProperties.create(company(c), { key, type, fallback });
    return c.json({ object: 'contact_property', id }, 201);
  });

  routes.get('/contact-properties', async (c) =>
    c.json(cutPage((await contactProperties.list(company(c))).map(shown), pageQuery(c, { all: true }))),
  );

  routes.get('/contact-properties/:property', async (c) => {
    const property = await contactProperties.find(company(c), c.req.param('property'));
    if (property === null) throw propertyNotFound();
    return c.json({ object: 'contact_property', ...shown(property) });
  });

  routes.patch('/contact-properties/:property', async (c) => {
    const body = await readBody(c);
    if (body.fallback_value === undefined) throw missing('fallback_value');
    const fallback = readFallback(body.fallback_value);
    const { id } = await contactProperties.change(company(c), c.req.param('property'), fallback);
    return c.json({ object: 'contact_property', id });
  });

  routes.delete('/contact-properties/:property', async (c) => {
    const id = c.req.param('property');
    if (!(await contactProperties.remove(company(c), id))) throw propertyNotFound();
    return c.json({ object: 'contact_property', id, deleted: true });
  });

  return routes;
}

function readFallback(input: unknown): string | number | null {
  if (input === undefined || input === null) return null;
  if (typeof input === 'number' && Number.isFinite(input)) return input;
  if (typeof input !== 'string') throw invalidPayload('fallback_value', 'must be text or a number');
  if (input.length > MAX_FALLBACK || input.includes('\0'))
    throw invalidPayload('fallback_value', `must be text of at most ${MAX_FALLBACK} characters`);
  return input;
}

const MAX_FALLBACK = 500;

function shown({ id, key, type, fallback, createdAt }: ContactProperty) {
  return { id, key, type, fallback_value: fallback, created_at: createdAt };
}
