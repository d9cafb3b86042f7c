/**
 * The log of emails for operators, and for a user of the application, who sees their own and no more of it than
 * subject, type, time and status.
 */
import { Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import type { HttpOperations } from './http-rooms.js';
import { EMAIL_LOG_QUERY, USER_EMAILS_QUERY } from './list-queries.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function logRoutes(operations: HttpOperations): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/emails', async (c) => {
    const { companyId: asked, ...query } = readQuery(c, EMAIL_LOG_QUERY);
    const companyId = companyOf(c.get('caller'), asked);
    return c.json(await operations.log({ ...query, ...(companyId !== undefined && { companyId }) }));
  });

  routes.get('/api/profile/emails', async (c) => {
    const caller = c.get('caller');
    if (caller.kind !== 'user')
      throw new PostriderError('FORBIDDEN', 'This is for users of the application.');
    const query = readQuery(c, USER_EMAILS_QUERY);
    const { userId, companyId } = caller;
    return c.json(await operations.userEmails({ ...query, userId, companyId }));
  });

  return routes;
}
