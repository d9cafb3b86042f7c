/**
 * People over HTTP. A person stands in the path by the id Postrider gave, by `external:` and the application's own, or
 * by address. What may be said of them is decided by the room; here is only where it stands in a request.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { EMAIL_FIELDS } from '../../intake/index.js';
import { type Field, fields, needed, PostriderError } from '../../kernel/index.js';
import {
  PEOPLE_LIST,
  RECIPIENT_PAGE_FIELDS,
  REPORT_FIELDS,
  type RecipientRef,
  type Recipients,
} from '../../recipients/index.js';
import { COMPANY_QUERY } from './list-queries.js';
import { inPath } from './path-fields.js';
import { readJsonBody } from './read-json-body.js';
import { inQuery, readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function recipientRoutes(recipients: Recipients): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const body = async <T>(c: Context, said: Field<T>) => said.read(await readJsonBody(c), '');

  routes.post('/v1/recipients', async (c) => {
    const { companyId, recipients: people } = await body(c, PEOPLE);
    const answers = await recipients.upsert(people, company(c, companyId));
    const created = answers.filter((answer) => answer.created).length;
    return c.json({ created, updated: answers.length - created, recipients: answers });
  });

  routes.get('/v1/recipients', async (c) => {
    const { companyId, ...page } = readQuery(c, PEOPLE_QUERY);
    return c.json(await recipients.list({ ...company(c, companyId), ...page }));
  });

  routes.get('/v1/recipients/:person', async (c) => {
    const person = await recipients.get(personOf(c), company(c, readQuery(c, COMPANY_QUERY).companyId));
    if (person === null) throw notFound();
    return c.json(person);
  });

  routes.delete('/v1/recipients/:person', async (c) => {
    if (!(await recipients.remove(personOf(c), company(c, readQuery(c, COMPANY_QUERY).companyId))))
      throw notFound();
    return c.body(null, 204);
  });

  routes.post('/v1/recipients/:person/check-ins', async (c) => {
    const { companyId, ...said } = await body(c, CHECK_IN);
    return c.json(await recipients.reportCheckIn(personOf(c), { ...company(c, companyId), ...said }));
  });

  routes.post('/v1/recipients/:person/activities', async (c) => {
    const { companyId, ...said } = await body(c, ACTIVITY);
    await recipients.reportActivity(personOf(c), { ...company(c, companyId), ...said });
    return c.body(null, 204);
  });

  return routes;
}

const { companyId: whose } = EMAIL_FIELDS;
/** What stands in the list is read person by person. */
export const PEOPLE = fields(
  { companyId: whose, recipients: needed(PEOPLE_LIST, 'must be a list') },
  { nullIsAbsent: true },
);
export const PEOPLE_QUERY = fields({
  companyId: whose,
  ...{ ...RECIPIENT_PAGE_FIELDS, limit: inQuery.number(RECIPIENT_PAGE_FIELDS.limit) },
});
export const CHECK_IN = fields({ companyId: whose, at: REPORT_FIELDS.at }, { nullIsAbsent: true });
export const ACTIVITY = fields({ companyId: whose, ...REPORT_FIELDS }, { nullIsAbsent: true });

function company(c: Context<HttpEnv>, asked: unknown): { companyId?: string } {
  const companyId = companyOf(c.get('caller'), asked);
  return companyId === undefined ? {} : { companyId };
}

function personOf(c: Context): RecipientRef {
  return inPath(c, 'recipients/:person', notFound);
}

function notFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'There is no such recipient in this company.', { field: 'person' });
}
