/**
 * A tenant's keys. A key makes others for its own tenant alone, and one that is bound to domains makes none that reach
 * further. The token is in the answer that made it and in no other.
 */
import { type Context, Hono } from 'hono';
import { type ApiKey, actorOf } from '../../../access/index.js';
import { PostriderError, parseChoice } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';
import { cutPage, pageQuery } from './list-page.js';
import { missing, readBody } from './read-body.js';

export function resendApiKeyRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { keys, domains, defaultCompany } = rooms;
  const by = (c: Context<HttpEnv>) =>
    actorOf(c.get('caller'), { ip: c.get('ip'), requestId: c.get('requestId') });

  const living = (companyId: string): Promise<ApiKey[]> => keys.living(companyId);

  /** The domains a new key is bound to: the one that is named, within those of the caller. */
  async function boundTo(
    c: Context<HttpEnv>,
    companyId: string,
    domainId: unknown,
  ): Promise<string[] | null> {
    const caller = c.get('caller');
    const own = caller.kind === 'key' ? caller.fromDomains : null;
    if (domainId === undefined) return own === null ? null : [...own];
    const domain = typeof domainId === 'string' ? await domains.get(companyId, domainId) : null;
    if (domain === null) throw new PostriderError('NOT_FOUND', 'Domain not found', { field: 'domain_id' });
    if (own !== null && !own.includes(domain.name))
      throw new PostriderError('SENDER_NOT_ALLOWED', 'This key may not send from that domain.', {
        field: 'domain_id',
      });
    return [domain.name];
  }

  routes.post('/api-keys', async (c) => {
    const companyId = callerCompany(c, defaultCompany);
    const { name, permission, domain_id: domainId } = await readBody(c);
    if (name === undefined) throw missing('name');
    const asked = parseChoice(permission, 'permission', ['full_access', 'sending_access'] as const);
    const fromDomains = await boundTo(c, companyId, domainId);
    const made = await keys.create(
      { companyId, name, permission: asked === 'sending_access' ? 'sending' : 'full', fromDomains },
      by(c),
    );
    return c.json({ id: made.id, token: made.token }, 201);
  });

  routes.get('/api-keys', async (c) => {
    const listed = await living(callerCompany(c, defaultCompany));
    const shown = listed.map(({ id, name, createdAt, lastUsedAt }) => ({
      id,
      name,
      created_at: createdAt,
      last_used_at: lastUsedAt,
    }));
    return c.json(cutPage(shown, pageQuery(c, { all: true })));
  });

  routes.patch('/api-keys/:id', async (c) => {
    const { name } = await readBody(c);
    if (name === undefined) throw missing('name');
    const companyId = callerCompany(c, defaultCompany);
    const { id } = await keys.rename({ id: c.req.param('id'), companyId }, name, by(c));
    return c.json({ object: 'api_key', id });
  });

  routes.delete('/api-keys/:id', async (c) => {
    const id = c.req.param('id').toLowerCase();
    const own = (await living(callerCompany(c, defaultCompany))).find((key) => key.id === id);
    if (!own) throw new PostriderError('KEY_NOT_FOUND', 'API key not found', { field: 'id' });
    await keys.revoke(id, by(c));
    return c.json({ object: 'api_key', id, deleted: true });
  });

  return routes;
}
