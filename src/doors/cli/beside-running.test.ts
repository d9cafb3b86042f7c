import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { PostriderError } from '../../kernel/index.js';
import { cliForTest } from './cli.fixture.js';

/** Commands while `postrider dev` has the embedded store: they ask that process and say the same as without it. */
const SLOT = '2026-05-01T09:00:00.000Z';
const run = {
  ...{
    runId: 'r1',
    schedule: 'digest',
    zone: 'UTC',
    slot: SLOT,
    manual: true,
    state: 'done',
    total: 3,
    lookedAt: 3,
  },
  ...{ queued: 2, skipped: { opted_out: 1 }, errorCount: 0, errors: [], lastError: null },
  ...{ startedAt: SLOT, finishedAt: SLOT },
};
const digest = {
  name: 'digest',
  cron: '0 9 * * *',
  timeZone: 'UTC',
  catchUp: 'last',
  paused: false,
  next: SLOT,
};
const quota = { companyId: 'acme', period: 'day', limit: 5, used: 1, remaining: 4, resetAt: SLOT };
const limit = { type: 'welcome', companyId: null, limit: 1, windowSeconds: null, source: 'declared' };
const suppression = {
  companyId: 'default',
  email: 'a@example.com',
  reason: 'manual',
  category: null,
  note: null,
};

function cliBeside(answers: Record<string, unknown>) {
  const asked: string[] = [];
  const bodies: unknown[] = [];
  const fetch = (async (url: string, init?: RequestInit) => {
    const path = String(url).replace('http://127.0.0.1:3400', '');
    if (path === '/health/live') return Response.json({ ok: true });
    asked.push(`${init?.method ?? 'GET'} ${path}`);
    if (init?.body) bodies.push(JSON.parse(String(init.body)));
    const answer = answers[asked.at(-1)!];
    const refused = answer === undefined || (answer as { code?: string }).code !== undefined;
    return Response.json(answer ?? { code: 'NOT_FOUND', detail: 'nothing there' }, {
      status: refused ? 404 : 200,
    });
  }) as typeof globalThis.fetch;
  const opening = async () => {
    throw new PostriderError('STORE_LOCKED', 'locked');
  };
  return { cli: cliForTest({ opening, fetch }), asked, bodies };
}

test.each<[string[], Record<string, unknown>, RegExp]>([
  [
    ['schedules', 'list'],
    { 'GET /admin/schedules': { schedules: [{ ...digest, last: run }] } },
    /next 2026.*queued 2/,
  ],
  [['schedules', 'pause', 'digest'], { 'POST /admin/schedules/digest/pause': digest }, /^Paused digest/],
  [['schedules', 'resume', 'digest'], { 'POST /admin/schedules/digest/resume': digest }, /^Resumed digest/],
  [['schedules', 'run', 'digest'], { 'POST /admin/schedules/digest/run': { runs: [run] } }, /queued 2/],
  [
    ['schedules', 'runs', 'digest', '--limit', '3'],
    { 'GET /admin/schedules/digest/runs?limit=3': { runs: [run] } },
    /done/,
  ],
  [['limits', 'list'], { 'GET /admin/rate-limits': { rateLimits: [limit] } }, /welcome.*1 once and for all/],
  [
    ['limits', 'set', 'welcome', '2/d'],
    { 'PUT /admin/rate-limits/welcome': { ...limit, limit: 2, windowSeconds: 86_400 } },
    /2 per 1d/,
  ],
  [['limits', 'remove', 'welcome'], {}, /^Nothing was set/],
  [
    ['limits', 'check', 'a@example.com', 'welcome'],
    { 'POST /admin/rate-limits/check': { allowed: true, limit: 3, remaining: 2, resetAt: SLOT } },
    /^2 of 3 left, anew 2026/,
  ],
  [
    ['limits', 'check', 'u-1', 'welcome', '--user'],
    { 'POST /admin/rate-limits/check': { allowed: true, limit: 1, remaining: 1, resetAt: null } },
    /^1 of 1 left, anew never/,
  ],
  [
    ['limits', 'reset', 'u-1', 'welcome', '--user'],
    { 'POST /admin/rate-limits/reset': { counted: 2 } },
    /^2 counted/,
  ],
  [
    ['quotas', 'list', '--company', 'acme'],
    { 'GET /admin/quotas?companyId=acme&limit=1000': { quotas: [quota], nextCursor: null } },
    /5 a day.*anew 2026/,
  ],
  [['quotas', 'set', 'acme', '5/day'], { 'PUT /admin/quotas/acme/day': quota }, /1 used/],
  [
    ['quotas', 'remove', 'acme', 'day'],
    { 'DELETE /admin/quotas/acme/day': { removed: true } },
    /has no quota/,
  ],
  [['suppressions', 'add', 'a@example.com'], { 'POST /v1/suppressions': { added: 1, known: 0 } }, /^1 added/],
  [
    ['suppressions', 'list'],
    {
      'GET /v1/suppressions?limit=100': {
        suppressions: [{ ...suppression, createdAt: SLOT }],
        nextCursor: null,
      },
    },
    /a@example.com.*manual/,
  ],
  [
    ['suppressions', 'list', 'a@example.com'],
    { 'GET /v1/suppressions/a%40example.com?': { suppressions: [{ ...suppression, createdAt: SLOT }] } },
    /manual/,
  ],
  [
    ['suppressions', 'remove', 'a@example.com', '--reason', 'manual'],
    { 'DELETE /v1/suppressions/a%40example.com?reason=manual': { removed: 1 } },
    /^1 removed/,
  ],
  [['pause', 'all'], { 'PUT /admin/pauses': { scope: 'all' } }, /^Paused all/],
  [['pause', 'route:a:b', '--reason', 'why'], { 'PUT /admin/pauses': {} }, /^Paused route:a:b/],
  [['resume', 'all'], { 'DELETE /admin/pauses?scope=all': { broughtBack: 1 } }, /^Resumed all/],
  [['resume', 'type:welcome'], {}, /^Nothing was paused as type:welcome/],
  [
    ['erase', '--email', 'a@example.com', '--company', 'acme', '--yes'],
    { 'POST /admin/erasures': { emails: 2, left: 0, complete: true } },
    /^emails +2/,
  ],
])('%j → asks the running process', async (args, answers, says) => {
  const { cli } = cliBeside(answers);
  expect(await cli.run(...args)).toBe(0);
  expect(cli.out.join('\n')).toMatch(says);
});

test('what is to be paused or erased → told to the running process in full; incomplete → not 0', async () => {
  const pausing = cliBeside({ 'PUT /admin/pauses': {} });
  await pausing.cli.run('pause', 'tenant:acme', '--reason', 'why');
  expect(pausing.bodies).toEqual([{ scope: 'tenant', value: 'acme', reason: 'why' }]);
  const erasing = cliBeside({ 'POST /admin/erasures': { emails: 0, left: 1, complete: false } });
  expect(await erasing.cli.run('erase', '--email', 'a@example.com', '--yes', '--json')).toBe(1);
  expect(erasing.bodies).toEqual([{ email: 'a@example.com' }]);
  expect(erasing.cli.out).toEqual(['{"emails":0,"left":1,"complete":false}']);
});

test('people from a file → go to the running process in parts, and a refusal names the row of the file', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'postrider-beside-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'people.csv');
  writeFileSync(file, `email\n${Array.from({ length: 501 }, (_, n) => `p${n}@example.com`).join('\n')}\n`);
  const { cli, bodies } = cliBeside({ 'POST /v1/recipients': { created: 250, updated: 1 } });
  expect(await cli.run('recipients', 'import', file, '--company', 'acme')).toBe(0);
  expect(cli.out).toEqual(['500 created, 2 updated']);
  expect(bodies).toMatchObject([
    { companyId: 'acme', recipients: { length: 500 } },
    { recipients: { length: 1 } },
  ]);

  const detail = '[7].email is not an email address';
  const refusing = cliBeside({
    'POST /v1/suppressions': { code: 'INVALID_EMAIL', field: '[7].email', detail },
  });
  expect(await refusing.cli.run('suppressions', 'import', file)).not.toBe(0);
  expect(refusing.cli.notes.join('\n')).toContain('[7].email');
});
