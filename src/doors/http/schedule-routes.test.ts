import { expect, it } from 'vitest';
import type { PostriderError } from '../../kernel/index.js';
import type { ScheduleRooms } from './http-rooms.js';
import { scheduleRoutes } from './schedule-routes.js';

const seen = { name: 'digest', cron: '0 9 * * *', paused: false };
const calls: unknown[][] = [];
const call =
  <T>(name: string, answer: T) =>
  async (...args: unknown[]) => {
    calls.push([name, ...args]);
    return answer;
  };
const routes = scheduleRoutes({
  list: call('list', [seen]),
  pause: call('pause', undefined),
  resume: call('resume', undefined),
  runNow: call('runNow', [{ runId: 'r', state: 'running' }]),
  runs: call('runs', []),
} as unknown as ScheduleRooms);
routes.onError((error, c) => c.json({ code: (error as PostriderError).code }, 400));

async function ask(method: string, path: string) {
  calls.length = 0;
  const response = await routes.request(path, { method });
  return { status: response.status, body: await response.json(), calls: [...calls] };
}

it.each([
  ['GET', '/admin/schedules', 200, { schedules: [seen] }, ['list']],
  ['POST', '/admin/schedules/digest/pause', 200, seen, ['pause', 'digest']],
  ['POST', '/admin/schedules/digest/resume', 200, seen, ['resume', 'digest']],
  [
    'POST',
    '/admin/schedules/digest/run',
    202,
    { runs: [{ runId: 'r', state: 'running' }] },
    ['runNow', 'digest'],
  ],
  [
    'GET',
    '/admin/schedules/digest/runs?limit=5&state=done',
    200,
    { runs: [] },
    ['runs', 'digest', { limit: 5, state: 'done' }],
  ],
])('%s %s → %i', async (method, path, status, body, asked) => {
  const answer = await ask(method, path);
  expect(answer).toMatchObject({ status, body });
  expect(answer.calls[0]).toEqual(asked);
});

it.each([
  ['POST', '/admin/schedules/a%0Ab/run', 'SCHEDULE_NOT_FOUND'],
  ['POST', `/admin/schedules/${'x'.repeat(65)}/pause`, 'SCHEDULE_NOT_FOUND'],
  ['GET', '/admin/schedules/digest/runs?state=odd', 'INVALID_PAYLOAD'],
])('%s %s → %s, and nothing is asked', async (method, path, code) => {
  expect(await ask(method, path)).toEqual({ status: 400, body: { code }, calls: [] });
});
