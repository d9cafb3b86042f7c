import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Caller } from '../../access/index.js';
import type { PostriderError } from '../../kernel/index.js';
import { bodyOf, readBytes } from './read-body.js';
import type { HttpEnv } from './request-context.js';
import { countMemory } from './request-memory.js';

const MB = 1024 ** 2;

/** `by` is a tenant's id, an operator where it is not said, and a stranger at that address where it is `?address`. */
function api({ mostBytes = 8 * MB } = {}) {
  const app = new Hono<HttpEnv>();
  const memory = countMemory({ bodyLimitBytes: 4 * MB, mostBytes });
  const waiting: Array<() => void> = [];
  app.use(async (c, next) => {
    const by = c.req.header('by');
    const stranger = by?.startsWith('?') === true;
    const key = { kind: 'key', companyId: by };
    c.set('caller', (by === undefined ? { kind: 'root' } : stranger ? { kind: 'anyone' } : key) as Caller);
    c.set('ip', stranger ? by.slice(1) : null);
    c.set('bodyLimitBytes', 4 * MB);
    await next();
  });
  app.use(memory.middleware);
  app.post('/', async (c) => {
    await readBytes(bodyOf(c));
    await new Promise<void>((resolve) => waiting.push(resolve));
    return c.text('done');
  });
  app.post('/unread', async (c) => c.text('done'));
  app.get('/content/:bytes', (c) => {
    c.get('memory').takeForAnswer(Number(c.req.param('bytes')));
    return c.text('shown');
  });
  app.onError((error, c) => {
    const { code, status, message } = error as PostriderError;
    return c.json({ code, message }, status as 503);
  });
  const headersOf = (by: string | undefined): Record<string, string> => (by === undefined ? {} : { by });
  /** Announced, and sent whole. */
  const post = (bytes: number, by?: string, path = '/') =>
    app.request(path, {
      method: 'POST',
      body: new Uint8Array(bytes),
      headers: { ...headersOf(by), 'content-length': String(bytes) },
    });
  /** Neither announced nor ever at its end. */
  const drip = (bytes: number, by?: string) => {
    const body = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(bytes)) });
    return app.request('/', { method: 'POST', body, headers: headersOf(by), duplex: 'half' } as RequestInit);
  };
  const show = async (bytes: number, by?: string) =>
    (await app.request(`/content/${bytes}`, { headers: headersOf(by) })).status;
  const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
  const release = () => {
    for (const one of waiting.splice(0)) one();
  };
  const statusesOf = async (answers: Array<Response | Promise<Response>>) =>
    (await Promise.all(answers)).map(({ status }) => status);
  return { ...{ post, drip, show, turn, release, statusesOf, waiting }, ...memory };
}

test('more bytes than fit at once → the one too many is refused with the limit, and may come when one is answered', async () => {
  const { post, turn, waiting, release, statusesOf, known } = api();
  const first = [post(3 * MB), post(3 * MB)];
  await turn();
  const refused = await post(3 * MB);
  expect(refused.status).toBe(503);
  expect(await refused.json()).toEqual({
    code: 'TOO_MANY_LARGE_BODIES',
    message: '8 MB of requests and answers may be held at once.',
  });
  waiting.shift()!();
  expect((await first[0]!).status).toBe(200);
  const third = post(3 * MB);
  await turn();
  release();
  expect(await statusesOf([first[1]!, third])).toEqual([200, 200]);
  expect(known.bytesInUse).toBe(0);
});

test('a body that breaks off, is refused, or is never read → nothing of it stays counted', async () => {
  const { post, known, strangers, drip } = api();
  expect((await post(5 * MB)).status).toBe(413);
  expect((await post(1 * MB, 'acme', '/unread')).status).toBe(200);
  expect((await drip(5 * MB, '?192.0.2.1')).status).toBe(413);
  expect([known.bytesInUse, strangers.bytesInUse]).toEqual([0, 0]);
});

test('a tenant with many large bodies → holds no more than it leaves free, and another comes through', async () => {
  const { post, turn, release, statusesOf } = api({ mostBytes: 16 * MB });
  const slow = [post(4 * MB, 'acme'), post(4 * MB, 'acme')];
  await turn();
  expect((await post(4 * MB, 'acme')).status).toBe(503);
  const other = post(4 * MB, 'bolt');
  await turn();
  release();
  expect(await statusesOf([...slow, other])).toEqual([200, 200, 200]);
});

test('the largest there may be, where no more fit → comes through alone', async () => {
  const { post, turn, release } = api({ mostBytes: 4 * MB });
  const only = post(4 * MB, 'acme');
  await turn();
  release();
  expect((await only).status).toBe(200);
});

test('many small bodies of strangers → counted like large ones, and nobody with a key notices', async () => {
  const { post, turn, release, statusesOf, strangers } = api({ mostBytes: 16 * MB });
  const small = 64 * 1024;
  const sent = Array.from({ length: 100 }, (_, n) => post(small, `?192.0.2.${n}`));
  await turn();
  expect(strangers.bytesInUse).toBe(4 * MB);
  const known = [post(small, 'acme'), post(small)];
  await turn();
  release();
  const statuses = await statusesOf(sent);
  expect(statuses.filter((status) => status === 503)).toHaveLength(36);
  expect(await statusesOf(known)).toEqual([200, 200]);
  expect(strangers.bytesInUse).toBe(0);
});

test('one address that holds what strangers may → another address comes through', async () => {
  const { post, turn, release, statusesOf } = api({ mostBytes: 16 * MB });
  const sent = Array.from({ length: 100 }, () => post(64 * 1024, '?192.0.2.1'));
  await turn();
  const other = post(64 * 1024, '?192.0.2.2');
  await turn();
  release();
  expect((await statusesOf(sent)).filter((status) => status === 200)).toHaveLength(32);
  expect((await other).status).toBe(200);
});

test('a stranger who announces much and sends little → holds what arrived and no more', async () => {
  const { drip, turn, strangers } = api({ mostBytes: 16 * MB });
  void drip(1000, '?192.0.2.1');
  await turn();
  expect(strangers.bytesInUse).toBe(1000);
});

test('content that is shown → counted with bodies, of the same tenant', async () => {
  const { post, show, turn, release, known } = api({ mostBytes: 16 * MB });
  const body = post(4 * MB, 'acme');
  await turn();
  expect(await show(5 * MB, 'acme')).toBe(503);
  expect(await show(4 * MB, 'acme')).toBe(200);
  expect(await show(5 * MB, 'bolt')).toBe(200);
  release();
  await body;
  expect(known.bytesInUse).toBe(0);
});
