/**
 * People over HTTP. A person stands in the path by the id Postrider gave, by `external:` and the application's own, or
 * by address. What may be said of them is decided by the room; here is only where it stands in a request.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { invalidPayload, isUuid, PostriderError, readFields } from '../../kernel/index.js';
import type { RecipientInput, RecipientRef, Recipients } from '../../recipients/index.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';

export function recipientRoutes(recipients: Recipients, bodyLimitBytes: number): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const body = async (c: Context, known: readonly string[]) =>
    readFields(await readJsonBody(c.req.raw, bodyLimitBytes), '', known);

  routes.post('/v1/recipients', async (c) => {
    const { companyId, recipients: people } = await body(c, ['companyId', 'recipients']);
    if (!Array.isArray(people)) throw invalidPayload('recipients', 'must be a list');
    const answers = await recipients.upsert(people as RecipientInput[], company(c, companyId));
    const created = answers.filter((answer) => answer.created).length;
    return c.json({ created, updated: answers.length - created, recipients: answers });
  });

  routes.get('/v1/recipients', async (c) => {
    const { companyId, status, limit, cursor } = readFields(c.req.query(), '', [
      ...['companyId', 'status', 'limit', 'cursor'],
    ]) as Record<string, string>;
    return c.json(
      await recipients.list({
        ...company(c, companyId),
        ...(status !== undefined && { status }),
        ...(cursor !== undefined && { cursor }),
        ...(limit !== undefined && { limit: /^\d{1,4}$/.test(limit) ? Number(limit) : Number.NaN }),
      }),
    );
  });

  routes.get('/v1/recipients/:person', async (c) => {
    const person = await recipients.get(personOf(c), company(c, c.req.query('companyId')));
    if (person === null) throw notFound();
    return c.json(person);
  });

  routes.delete('/v1/recipients/:person', async (c) => {
    if (!(await recipients.remove(personOf(c), company(c, c.req.query('companyId'))))) throw notFound();
    return c.body(null, 204);
  });

  routes.post('/v1/recipients/:person/check-ins', async (c) => {
    const { companyId, at } = await body(c, ['companyId', 'at']);
    return c.json(await recipients.reportCheckIn(personOf(c), { ...company(c, companyId), ...when(at) }));
  });

  routes.post('/v1/recipients/:person/activities', async (c) => {
    const { companyId, at, kind } = await body(c, ['companyId', 'at', 'kind']);
    const said = kind === undefined ? {} : { kind: kind as string };
    await recipients.reportActivity(personOf(c), { ...company(c, companyId), ...when(at), ...said });
    return c.body(null, 204);
  });

  return routes;
}

function company(c: Context<HttpEnv>, asked: unknown): { companyId?: string } {
  const companyId = companyOf(c.get('caller'), asked);
  return companyId === undefined ? {} : { companyId };
}

function when(at: unknown): { at?: string } {
  return at === undefined ? {} : { at: at as string };
}

function personOf(c: Context): RecipientRef {
  const person: string = c.req.param('person') ?? '';
  if (person.startsWith('external:')) return { externalId: person.slice('external:'.length) };
  if (person.includes('@')) return { email: person };
  if (isUuid(person)) return { recipientId: person };
  throw notFound();
}

function notFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'There is no such recipient in this company.', { field: 'person' });
}
