/** The list of those not to write to, as Resend's clients handle it. Unsubscribes belong to contacts and are not in it. */
import { Hono } from 'hono';
import { PostriderError, parseChoice } from '../../../kernel/index.js';
import { SUPPRESSION_ORIGINS, type SuppressionEntry } from '../../../recipients/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { listOf, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendSuppressionRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { suppressions, defaultCompany } = rooms;

  routes.post('/suppressions', async (c) => {
    const { email } = await readBody(c);
    if (email === undefined) throw missing('email');
    const [entry] = await suppressions.add(callerCompany(c, defaultCompany), textsOf([email], 'email'));
    return c.json({ object: 'suppression', id: entry!.id }, 201);
  });

  routes.get('/suppressions', async (c) => {
    const origin = parseChoice(c.req.query('origin'), 'origin', SUPPRESSION_ORIGINS);
    const page = await suppressions.list(callerCompany(c, defaultCompany), { ...pageQuery(c), origin });
    return c.json(listOf(page.entries.map(presented), page.more));
  });

  routes.post('/suppressions/batch/add', async (c) => {
    const { emails } = await readBody(c);
    if (emails === undefined) throw missing('emails');
    const entries = await suppressions.add(callerCompany(c, defaultCompany), textsOf(emails, 'emails'));
    return c.json({ data: entries.map(({ id }) => ({ object: 'suppression', id })) });
  });

  routes.post('/suppressions/batch/remove', async (c) => {
    const { emails, ids } = await readBody(c);
    if (emails === undefined && ids === undefined) throw missing('emails');
    const which = emails === undefined ? { ids: textsOf(ids, 'ids') } : { emails: textsOf(emails, 'emails') };
    const entries = await suppressions.remove(callerCompany(c, defaultCompany), which);
    return c.json({ data: entries.map(removed) });
  });

  routes.get('/suppressions/:entry', async (c) => {
    const entry = await suppressions.find(callerCompany(c, defaultCompany), c.req.param('entry'));
    if (entry === null) throw notFound();
    return c.json({ object: 'suppression', ...presented(entry) });
  });

  routes.delete('/suppressions/:entry', async (c) => {
    const company = callerCompany(c, defaultCompany);
    const entry = await suppressions.find(company, c.req.param('entry'));
    if (entry === null) throw notFound();
    // By address every reason goes, so that the address can be written to.
    const byAddress = c.req.param('entry').includes('@');
    await suppressions.remove(company, byAddress ? { emails: [c.req.param('entry')] } : { ids: [entry.id] });
    return c.json(removed(entry));
  });

  return routes;
}

const MAX_BATCH = 1000;

function textsOf(list: unknown, field: string): string[] {
  if (
    !Array.isArray(list) ||
    list.length === 0 ||
    list.length > MAX_BATCH ||
    !list.every((one) => typeof one === 'string')
  )
    throw new PostriderError('INVALID_PAYLOAD', `${field} must be 1 to ${MAX_BATCH} texts.`, { field });
  return list;
}

function presented({ id, email, origin, emailId, createdAt }: SuppressionEntry) {
  return { id, email, origin, source_id: emailId, created_at: createdAt };
}

function removed({ id }: SuppressionEntry) {
  return { object: 'suppression', id, deleted: true };
}

function notFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'Suppression not found', { field: 'id' });
}
