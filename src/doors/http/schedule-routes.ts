/**
 * The routes about recurring emails: look, pause, resume, run now, and how runs come on. Each parses, calls one room
 * and presents its answer.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../kernel/index.js';
import type { RunState } from '../../schedules/index.js';
import type { ScheduleRooms } from './http-rooms.js';
import type { HttpEnv } from './request-context.js';

export function scheduleRoutes(schedules: ScheduleRooms): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/schedules', async (c) => c.json({ schedules: await schedules.list() }));

  routes.get('/admin/schedules/:name/runs', async (c) => {
    const state = stateOf(c);
    const limit = limitOf(c);
    const runs = await schedules.runs(nameOf(c), {
      ...(limit !== undefined && { limit }),
      ...(state && { state }),
    });
    return c.json({ runs });
  });

  routes.post('/admin/schedules/:name/pause', async (c) => {
    await schedules.pause(nameOf(c));
    return c.json(await one(schedules, nameOf(c)));
  });

  routes.post('/admin/schedules/:name/resume', async (c) => {
    await schedules.resume(nameOf(c));
    return c.json(await one(schedules, nameOf(c)));
  });

  routes.post('/admin/schedules/:name/run', async (c) =>
    c.json({ runs: await schedules.runNow(nameOf(c)) }, 202),
  );

  return routes;
}

const NAME = /^[A-Za-z][A-Za-z0-9._-]{0,63}$/;
const STATES: readonly string[] = ['running', 'done', 'failed', 'expired'];

function nameOf(c: Context): string {
  const name = c.req.param('name') ?? '';
  if (NAME.test(name)) return name;
  throw new PostriderError('SCHEDULE_NOT_FOUND', 'That is not the name of a schedule.', { field: 'name' });
}

function limitOf(c: Context): number | undefined {
  const given = c.req.query('limit');
  if (given === undefined) return undefined;
  return /^\d{1,6}$/.test(given) ? Number(given) : Number.NaN;
}

function stateOf(c: Context): RunState | undefined {
  const given = c.req.query('state');
  if (given === undefined || STATES.includes(given)) return given as RunState | undefined;
  throw new PostriderError('INVALID_PAYLOAD', `state is one of ${STATES.join(', ')}.`, { field: 'state' });
}

async function one(schedules: ScheduleRooms, name: string) {
  return (await schedules.list()).find((schedule) => schedule.name === name);
}
