/**
 * The routes about recurring emails: look, pause, resume, run now, and how runs come on. Each parses, calls one room
 * and presents its answer.
 */
import { type Context, Hono } from 'hono';
import { fields, PostriderError } from '../../kernel/index.js';
import { RUN_PAGE_FIELDS } from '../../schedules/index.js';
import type { ScheduleRooms } from './http-rooms.js';
import { inPath } from './path-fields.js';
import { inQuery, readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function scheduleRoutes(schedules: ScheduleRooms): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/admin/schedules', async (c) => c.json({ schedules: await schedules.list() }));

  routes.get('/admin/schedules/:name/runs', async (c) => {
    const page = readQuery(c, RUNS_QUERY);
    return c.json({ runs: await schedules.runs(nameOf(c), page) });
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

export const RUNS_QUERY = fields({ ...RUN_PAGE_FIELDS, limit: inQuery.number(RUN_PAGE_FIELDS.limit) });

function nameOf(c: Context): string {
  const otherwise = () =>
    new PostriderError('SCHEDULE_NOT_FOUND', 'That is not the name of a schedule.', { field: 'name' });
  return inPath(c, 'schedules/:name', otherwise);
}

async function one(schedules: ScheduleRooms, name: string) {
  return (await schedules.list()).find((schedule) => schedule.name === name);
}
