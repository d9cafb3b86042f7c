import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Caller } from '../../access/index.js';
import type { PostriderError } from '../../kernel/index.js';
import { bodiesInHand } from './bodies-in-hand.js';
import type { HttpEnv } from './request-context.js';

const MB = 1024 ** 2;

/** `by` is a company's id, an operator where it is not said, and a stranger where it is null. */
function door({ mostBytes = 8 * MB } = {}) {
  const app = new Hono<HttpEnv>();
  const held: Array<() => void> = [];
  app.use(async (c, next) => {
    const by = c.req.header('by');
    const key = { kind: 'key', companyId: by };
    c.set('caller', (by === undefined ? { kind: 'root' } : by === '' ? { kind: 'anyone' } : key) as Caller);
    await next();
  });
  app.use(bodiesInHand({ limitBytes: 4 * MB, mostBytes }));
  app.post('/', async (c) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return c.text('done');
  });
  app.onError((error, c) => c.text((error as PostriderError).code, (error as PostriderError).status as 503));
  const post = (headers: Record<string, string>, by?: string | null) =>
    app.request('/', { method: 'POST', headers: { ...headers, ...(by !== undefined && { by: by ?? '' }) } });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  const release = () => {
    for (const one of held.splice(0)) one();
  };
  return { post, held, turn, release };
}

const large = { 'content-length': String(3 * MB) };
const unsaid = { 'transfer-encoding': 'chunked' };

test('more large bodies than fit at once → the one too many is asked to come again, and may when one is answered', async () => {
  const { post, held, turn, release } = door();
  const first = [post(large), post(large)];
  await turn();
  const refused = await post(large);
  expect([refused.status, await refused.text()]).toEqual([503, 'TOO_MANY_LARGE_BODIES']);
  held.shift()!();
  expect((await first[0]!).status).toBe(200);
  const third = post(large);
  await turn();
  release();
  expect((await third).status).toBe(200);
});

test('a body of unknown length → counts as the largest there may be; small ones and those beyond the limit do not count', async () => {
  const { post, turn, release } = door();
  const open = [post(unsaid), post(unsaid)];
  await turn();
  expect((await post(large)).status).toBe(503);
  const others = [post({ 'content-length': '1000' }), post({ 'content-length': String(9 * MB) })];
  await turn();
  release();
  for (const answer of await Promise.all([...open, ...others])) expect(answer.status).toBe(200);
});

test('a company with many slow bodies → holds no more than it leaves free, and another comes through', async () => {
  const { post, turn, release } = door({ mostBytes: 16 * MB });
  const slow = [post(unsaid, 'acme'), post(unsaid, 'acme')];
  await turn();
  expect((await post(unsaid, 'acme')).status).toBe(503);
  const other = post(unsaid, 'bolt');
  await turn();
  release();
  for (const answer of await Promise.all([...slow, other])) expect(answer.status).toBe(200);
  // And all of it again when it is done.
  const again = [post(unsaid, 'acme'), post(unsaid, 'acme')];
  await turn();
  release();
  for (const answer of await Promise.all(again)) expect(answer.status).toBe(200);
});

test('the largest there may be, where no more fit → comes through alone', async () => {
  const { post, turn, release } = door({ mostBytes: 4 * MB });
  const only = post(unsaid, 'acme');
  await turn();
  release();
  expect((await only).status).toBe(200);
});

test('strangers with slow bodies → refused beyond their own few, and whoever has a key does not notice', async () => {
  const { post, turn, release } = door();
  const strange = post(unsaid, null);
  await turn();
  expect((await post(unsaid, null)).status).toBe(503);
  const known = [post(unsaid, 'acme'), post(unsaid, 'bolt')];
  await turn();
  release();
  for (const answer of await Promise.all([strange, ...known])) expect(answer.status).toBe(200);
});
