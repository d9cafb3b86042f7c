/**
 * What runs and what is held back: pauses, routes, and the whole at a glance. Lifting a pause answers when what it had
 * set aside is back.
 */
import { type Context, Hono } from 'hono';
import { PostriderError, readFields } from '../../kernel/index.js';
import type { PauseRoom } from './http-rooms.js';
import { readAct, reasonOf } from './read-act.js';
import type { HttpEnv } from './request-context.js';

export function pauseRoutes(room: PauseRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/overview', async (c) => c.json(await room.overview()));

  routes.get('/admin/routes', async (c) => c.json({ routes: await room.listRoutes() }));

  routes.get('/admin/pauses', async (c) => c.json({ pauses: await room.listPauses() }));

  routes.put('/admin/pauses', async (c) => {
    const body = await readAct(c.req.raw, LIMIT, ['scope', 'value', 'reason']);
    const { scope, value } = meantBy(body);
    await room.pause(scope, value, reasonOf(body).reason);
    return c.json(await one(room, scope, value));
  });

  routes.delete('/admin/pauses', async (c) => {
    const { scope, value } = meantBy(queryOf(c));
    if (!(await one(room, scope, value)))
      throw new PostriderError('NOT_FOUND', 'Nothing is paused as that.', { field: 'scope' });
    return c.json({ scope, value, broughtBack: await room.resume(scope, value) });
  });

  return routes;
}

const LIMIT = 16 * 1024;
export const PAUSE_SCOPES = ['all', 'tenant', 'type', 'route'] as const;
type Scope = (typeof PAUSE_SCOPES)[number];
export const PAUSED_NAME = /^[A-Za-z0-9][A-Za-z0-9._:-]{0,127}$/;

function meantBy({ scope, value }: Record<string, unknown>): { scope: Scope; value: string } {
  const known = PAUSE_SCOPES.find((one) => one === scope);
  if (known === undefined) throw refused('scope', `must be one of ${PAUSE_SCOPES.join(', ')}`);
  if (known === 'all') {
    if (value !== undefined && value !== '') throw refused('value', 'is not said when all is meant');
    return { scope: known, value: '' };
  }
  if (typeof value !== 'string' || !PAUSED_NAME.test(value))
    throw refused('value', `must name the ${known} meant`);
  return { scope: known, value };
}

function queryOf(c: Context): Record<string, unknown> {
  return readFields(c.req.query(), '', ['scope', 'value']);
}

async function one(room: PauseRoom, scope: Scope, value: string): Promise<object | undefined> {
  return (await room.listPauses()).find((pause) => pause.scope === scope && pause.value === value);
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
