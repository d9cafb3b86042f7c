/**
 * Contacts: a tenant's people, by id or address. The older paths under `/audiences/:segment` mean the same people,
 * where they are in that segment.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../../kernel/index.js';
import { type Contact, type ListedContact, segmentNotFound } from '../../../recipients/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import { contactInput, segmentIdsOf, topicPreferences } from './contact-input.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, listOf, pageQuery } from './list-page.js';
import { missing, readAnyBody, readBody } from './read-body.js';

export function resendContactRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { contacts, segments, topics, defaultCompany } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, defaultCompany);
  const named = (c: Context) => c.req.param('contact') ?? '';

  async function segmentOf(c: Context<HttpEnv>): Promise<string | null> {
    const id = c.req.param('segment');
    if (id === undefined) return null;
    const segment = await segments.find(company(c), id);
    if (segment === null) throw segmentNotFound();
    return segment.id;
  }

  async function found(c: Context<HttpEnv>): Promise<Contact> {
    const segmentId = await segmentOf(c);
    const contact = await contacts.find(company(c), named(c));
    const isIn = async () =>
      segmentId === null || (await segments.of(company(c), contact!.id)).some(({ id }) => id === segmentId);
    if (contact !== null && (await isIn())) return contact;
    throw new PostriderError('NOT_FOUND', 'Contact not found', { field: 'id' });
  }

  async function create(c: Context<HttpEnv>) {
    const body = await readBody(c);
    if (body.email === undefined) throw missing('email');
    const segmentId = await segmentOf(c);
    const preferences = await topicPreferences(body.topics ?? [], topics, company(c));
    const { id } = await contacts.create(company(c), body.email as string, {
      ...contactInput(body),
      preferences,
      segmentIds: segmentId === null ? segmentIdsOf(body.segments) : [segmentId],
    });
    return c.json({ object: 'contact', id }, 201);
  }

  async function list(c: Context<HttpEnv>) {
    const page = { ...pageQuery(c, { all: true }), segmentId: await segmentOf(c) };
    const { contacts: people, more } = await contacts.list(company(c), page);
    return c.json(listOf(people.map(brief), more));
  }

  async function get(c: Context<HttpEnv>) {
    const contact = await found(c);
    const properties = Object.entries(contact.properties).map(([key, value]) => [
      key,
      { type: typeof value, value },
    ]);
    return c.json({ object: 'contact', ...brief(contact), properties: Object.fromEntries(properties) });
  }

  async function update(c: Context<HttpEnv>) {
    const body = await readBody(c);
    const { id } = await contacts.update(company(c), (await found(c)).id, contactInput(body));
    return c.json({ object: 'contact', id });
  }

  async function remove(c: Context<HttpEnv>) {
    await contacts.remove(company(c), (await found(c)).id);
    return c.json({ object: 'contact', contact: named(c), deleted: true });
  }

  routes.post('/contacts', create);
  routes.post('/audiences/:segment/contacts', create);
  for (const path of ['/contacts', '/segments/:segment/contacts', '/audiences/:segment/contacts'])
    routes.get(path, list);
  for (const path of ['/contacts/:contact', '/audiences/:segment/contacts/:contact']) {
    routes.get(path, get);
    routes.patch(path, update);
    routes.delete(path, remove);
  }

  routes.get('/contacts/:contact/segments', async (c) => {
    const { id } = await found(c);
    const shown = (await segments.of(company(c), id)).map((one) => ({
      id: one.id,
      name: one.name,
      created_at: one.createdAt,
    }));
    return c.json(cutPage(shown, pageQuery(c, { all: true })));
  });

  routes.post('/contacts/:contact/segments/:segment', async (c) => {
    await contacts.join(company(c), named(c), c.req.param('segment'));
    return c.json({ id: c.req.param('segment') });
  });

  routes.delete('/contacts/:contact/segments/:segment', async (c) => {
    const id = (await segmentOf(c)) ?? '';
    const deleted = await contacts.leave(company(c), named(c), id);
    return c.json({ id, audienceId: id, deleted });
  });

  routes.get('/contacts/:contact/topics', async (c) => {
    const { preferences } = await found(c);
    const shown = (await topics.list(company(c))).map(({ id, name, description, category, optIn }) => ({
      ...{ id, name, description },
      subscription: (preferences[category] ?? optIn) ? 'opt_in' : 'opt_out',
    }));
    return c.json(cutPage(shown, pageQuery(c, { all: true })));
  });

  routes.patch('/contacts/:contact/topics', async (c) => {
    const body = await readAnyBody(c);
    const list = Array.isArray(body) ? body : (body as { topics?: unknown } | null)?.topics;
    const preferences = await topicPreferences(list, topics, company(c));
    const { id } = await contacts.prefer(company(c), named(c), preferences);
    return c.json({ id });
  });

  return routes;
}

function brief({ id, email, firstName, lastName, unsubscribed, createdAt }: ListedContact) {
  return { id, email, first_name: firstName, last_name: lastName, unsubscribed, created_at: createdAt };
}
