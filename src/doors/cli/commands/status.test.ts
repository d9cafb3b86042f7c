import { expect, it } from 'vitest';
import { PostriderError } from '../../../kernel/index.js';
import { cliForTest, EMAIL_ID } from '../cli.fixture.js';

const quietRoute = {
  provider: 'smtp',
  circuit: 'closed',
  opensInMs: null,
  reason: null,
  ratePerSecond: null,
  paused: false,
  waiting: 0,
};
const overview = {
  byStatus: { pending: 2, sent: 40, failed: 0 },
  oldestWaitingSeconds: 12.4,
  workers: [{ name: 'w1', host: 'box', pid: 77, beatAgeMs: 420, alive: true }],
  pauses: [
    { scope: 'tenant', value: 'acme', reason: 'bounces', createdAt: '2026-01-01T00:00:00Z' },
    { scope: 'all', value: '', reason: null, createdAt: '2026-01-01T00:00:00Z' },
  ],
  routes: [
    { ...quietRoute, name: 'main', ratePerSecond: 14 },
    { ...quietRoute, name: 'spare', circuit: 'open', opensInMs: 7200, reason: 'ECONNREFUSED', paused: true },
    { ...quietRoute, name: 'old', provider: null, waiting: 3 },
  ],
};
const log = { id: EMAIL_ID, status: 'failed', errorReason: 'bad\u001b]0;x\u0007', sentAt: null };
const events = [
  { sequence: 1, type: 'ENQUEUED', createdAt: '2026-01-01T00:00:00Z', metadata: {} },
  { sequence: 2, type: 'FAILED', createdAt: '2026-01-01T00:00:01Z', metadata: { errorCode: 'SMTP_550' } },
];

it('without an id → the whole at a glance', async () => {
  const cli = cliForTest({ application: { overview: async () => overview } });
  expect(await cli.run('status')).toBe(0);
  expect(cli.out).toEqual([
    'emails  pending 2 · sent 40',
    'oldest  waiting for 12 s',
    'worker  w1 (box, pid 77) alive, last beat 0.4 s ago',
    'route   main (smtp) · circuit closed · 14/s · 0 waiting',
    'route   spare (smtp) · circuit open (ECONNREFUSED), probed in 8 s · paused · 0 waiting',
    'route   old (not configured) · circuit closed · 3 waiting',
    'paused  tenant:acme since 2026-01-01T00:00:00Z: bounces',
    'paused  all since 2026-01-01T00:00:00Z',
  ]);
});

it('an empty store → says that nothing is there', async () => {
  const cli = cliForTest();
  expect(await cli.run('status')).toBe(0);
  expect(cli.out).toEqual(['emails  none yet', 'worker  none; nothing is being sent']);
});

it('with an id → the log and the journal, control characters made visible', async () => {
  const cli = cliForTest({ application: { get: async () => log, timeline: async () => events } });
  expect(await cli.run('status', EMAIL_ID)).toBe(0);
  expect(cli.out).toEqual([
    `id           ${EMAIL_ID}`,
    'status       failed',
    'errorReason  bad\\x1b]0;x\\x07',
    '',
    '1  2026-01-01T00:00:00Z  ENQUEUED',
    '2  2026-01-01T00:00:01Z  FAILED    {"errorCode":"SMTP_550"}',
  ]);
});

it('--json → one document', async () => {
  const cli = cliForTest({
    application: { overview: async () => overview, get: async () => log, timeline: async () => events },
  });
  expect(await cli.run('status', '--json')).toBe(0);
  expect(JSON.parse(cli.out.join(''))).toEqual(overview);
  cli.out.length = 0;
  expect(await cli.run('status', EMAIL_ID, '--json')).toBe(0);
  expect(JSON.parse(cli.out.join(''))).toEqual({ email: log, events });
});

it('an id nobody knows → EMAIL_NOT_FOUND, exit 1', async () => {
  const cli = cliForTest();
  expect(await cli.run('status', EMAIL_ID)).toBe(1);
  expect(cli.notes[0]).toBe(`EMAIL_NOT_FOUND There is no email ${EMAIL_ID}.`);
});

it('another process has the embedded store → says where it runs; as JSON and when it is silent, STORE_LOCKED', async () => {
  const opening = () => Promise.reject(new PostriderError('STORE_LOCKED', 'in use'));
  const fetch = async () => new Response('{}');
  const cli = cliForTest({ opening, fetch, env: { PORT: '4000' } });
  expect(await cli.run('status')).toBe(0);
  expect(cli.out[0]).toContain('Postrider runs at http://127.0.0.1:4000 ');
  expect(await cli.run('status', '--json')).toBe(1);
  const silent = cliForTest({ opening });
  expect(await silent.run('status')).toBe(1);
  expect(silent.notes[0]).toBe('STORE_LOCKED in use');
});
