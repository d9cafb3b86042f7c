import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { afterEach, expect, test } from 'vitest';
import { silentLogger } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import { type ApiOptions, createApi } from './server.js';

const quiet = { logger: silentLogger };
const ask = (headers: Record<string, string> = {}) =>
  new Request('http://localhost/admin/session', { headers: { Host: 'localhost', ...headers } });
/** Who may call is decided before anything behind the door is asked. */
const behind = { metrics: { requested: () => {} } } as unknown as Postrider;
const api = (options: ApiOptions) => createApi(behind, { ...options, ...quiet });

test.each([
  ['neither a key nor open', {}],
  ['a key that is undefined', { apiKey: undefined }],
  ['open: false', { open: false }],
  ['a key and open at once', { apiKey: 'k', open: true }],
  ['an empty key', { apiKey: '' }],
])('createApi with %s → refused before it answers anybody', (_case, options) => {
  expect(() => api(options as unknown as ApiOptions)).toThrowError(
    expect.objectContaining({ code: 'INVALID_CONFIG' }),
  );
});

test.each([
  ['another machine', '192.0.2.7'],
  ['another machine over IPv6', '2001:db8::7'],
  ['another machine in the form of a dual-stack socket', '::ffff:192.0.2.7'],
  ['an address nobody told', undefined],
  ['a null address', null],
  ['a name instead of an address', 'localhost'],
  ['an address that only begins like loopback', '127.0.0.1.evil.example'],
  ['a list as a proxy writes it', '127.0.0.1, 192.0.2.7'],
])('open and Host: localhost from %s → 403', async (_case, remoteAddress) => {
  const answer = await api({ open: true })(ask(), { remoteAddress });
  expect(answer.status).toBe(403);
  expect(await answer.json()).toMatchObject({ code: 'FORBIDDEN' });
});

test('open, and no second argument at all → 403', async () => {
  expect((await api({ open: true })(ask())).status).toBe(403);
});

test.each([['127.0.0.1'], ['127.8.8.8'], ['::1'], ['::ffff:127.0.0.1']])(
  'open, from %s by a loopback name → root',
  async (remoteAddress) => {
    const answer = await api({ open: true })(ask(), { remoteAddress });
    expect(await answer.json()).toMatchObject({ role: 'root' });
  },
);

test('open, from loopback by another name or behind a proxy → 403', async () => {
  const open = api({ open: true });
  const here = { remoteAddress: '127.0.0.1' };
  expect((await open(ask({ Host: 'evil.example' }), here)).status).toBe(403);
  expect((await open(ask({ 'X-Forwarded-For': '127.0.0.1' }), here)).status).toBe(403);
});

test('with a key → whoever has it, from wherever; nobody else, wherever they are', async () => {
  const keyed = api({ apiKey: 'the-key' });
  const right = { Authorization: 'Bearer the-key' };
  expect((await keyed(ask(right), { remoteAddress: '192.0.2.7' })).status).toBe(200);
  expect((await keyed(ask(right))).status).toBe(200);
  expect((await keyed(ask(), { remoteAddress: '127.0.0.1' })).status).toBe(401);
});

const running: Server[] = [];
afterEach(() => {
  for (const server of running.splice(0)) server.close();
});

test('mounted in node:http on every interface as the documentation says → loopback is root', async () => {
  const open = api({ open: true });
  const listener = getRequestListener(
    (request, env) => open(request, { remoteAddress: (env as Bindings).incoming.socket.remoteAddress }),
    { overrideGlobalObjects: false },
  );
  expect(await statusOf(createServer(listener))).toBe(200);
});

test('mounted in Hono as the documentation says → loopback is root', async () => {
  const app = new Hono<{ Bindings: Bindings }>();
  app.mount('/mail', api({ open: true }), {
    optionHandler: (c) => ({ remoteAddress: c.env.incoming.socket.remoteAddress }),
  });
  const listener = getRequestListener((request, env) => app.fetch(request, env as Bindings), {
    overrideGlobalObjects: false,
  });
  expect(await statusOf(createServer(listener), '/mail/admin/session')).toBe(200);
});

interface Bindings {
  incoming: { socket: { remoteAddress?: string } };
}

async function statusOf(server: Server, path = '/admin/session'): Promise<number | undefined> {
  running.push(server);
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ port, path, headers: { Host: 'localhost' } }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    })
      .on('error', reject)
      .end();
  });
}
