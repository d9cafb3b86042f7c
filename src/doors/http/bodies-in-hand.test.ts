import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { PostriderError } from '../../kernel/index.js';
import { bodiesInHand } from './bodies-in-hand.js';

const MB = 1024 ** 2;

function door() {
  const app = new Hono();
  const held: Array<() => void> = [];
  app.use(bodiesInHand({ limitBytes: 4 * MB, mostBytes: 8 * MB }));
  app.post('/', async (c) => {
    await new Promise<void>((resolve) => held.push(resolve));
    return c.text('done');
  });
  app.onError((error, c) => c.text((error as PostriderError).code, (error as PostriderError).status as 503));
  const post = (headers: Record<string, string>) => app.request('/', { method: 'POST', headers });
  const turn = () => new Promise((resolve) => setImmediate(resolve));
  return { post, held, turn };
}

const large = { 'content-length': String(3 * MB) };

test('more large bodies than fit at once → the one too many is asked to come again, and may when one is answered', async () => {
  const { post, held, turn } = door();
  const first = [post(large), post(large)];
  await turn();
  const refused = await post(large);
  expect([refused.status, await refused.text()]).toEqual([503, 'TOO_MANY_LARGE_BODIES']);
  held.shift()!();
  expect((await first[0]!).status).toBe(200);
  const third = post(large);
  await turn();
  for (const release of held.splice(0)) release();
  expect((await third).status).toBe(200);
});

test('a body of unknown length → counts as the largest there may be; small ones and those beyond the limit do not count', async () => {
  const { post, held, turn } = door();
  const open = [post({ 'transfer-encoding': 'chunked' }), post({ 'transfer-encoding': 'chunked' })];
  await turn();
  expect((await post(large)).status).toBe(503);
  const others = [post({ 'content-length': '1000' }), post({ 'content-length': String(9 * MB) })];
  await turn();
  for (const release of held.splice(0)) release();
  for (const answer of await Promise.all([...open, ...others])) expect(answer.status).toBe(200);
});
