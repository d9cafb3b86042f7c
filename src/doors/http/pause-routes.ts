/**
 * What runs and what is held back: pauses, routes, and the whole at a glance. Lifting a pause answers when what it had
 * set aside is back.
 */
import { Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import { type PAUSE_SCOPES, pausedInQuery, whatIsPaused } from '../../outbox/index.js';
import type { PauseRoom } from './http-rooms.js';
import { ACT_FIELDS, readAct } from './read-act.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function pauseRoutes(room: PauseRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/overview', async (c) => c.json(await room.overview()));

  routes.get('/admin/routes', async (c) => c.json({ routes: await room.listRoutes() }));

  routes.get('/admin/pauses', async (c) => c.json({ pauses: await room.listPauses() }));

  routes.put('/admin/pauses', async (c) => {
    const { scope, value = '', reason } = await readAct(c, PAUSE);
    await room.pause(scope, value, reason);
    return c.json(await one(room, scope, value));
  });

  routes.delete('/admin/pauses', async (c) => {
    const { scope, value = '' } = readQuery(c, RESUME_QUERY);
    if (!(await one(room, scope, value)))
      throw new PostriderError('NOT_FOUND', 'Nothing is paused as that.', { field: 'scope' });
    return c.json({ scope, value, broughtBack: await room.resume(scope, value) });
  });

  return routes;
}

export const PAUSE = whatIsPaused({ reason: ACT_FIELDS.reason });
export const RESUME_QUERY = pausedInQuery();
type Scope = (typeof PAUSE_SCOPES)[number];

async function one(room: PauseRoom, scope: Scope, value: string): Promise<object | undefined> {
  return (await room.listPauses()).find((pause) => pause.scope === scope && pause.value === value);
}
