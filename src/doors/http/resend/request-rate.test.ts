import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { Caller } from '../../../access/index.js';
import { ManualClock, type PostriderError } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';
import { requestRate } from './request-rate.js';

function door() {
  const clock = new ManualClock(10_000);
  const app = new Hono<HttpEnv>();
  app.use(async (c, next) => {
    const companyId = c.req.header('company');
    const caller = companyId === undefined ? { kind: 'anyone' } : { kind: 'user', userId: 'u', companyId };
    c.set('caller', caller as Caller);
    await next();
  });
  app.use(requestRate({ perSecond: 2, defaultCompany: 'default', clock }));
  app.get('/', (c) => c.text('here'));
  app.get('/limited', (c) => c.text('here', 200, { 'RateLimit-Limit': '3' }));
  app.onError((error, c) => c.json({ ...(error as PostriderError) }, 429));
  const get = async (company?: string, path = '/') => {
    const { status, headers } = await app.request(
      path,
      company === undefined ? {} : { headers: { company } },
    );
    const told = (name: string) => headers.get(`ratelimit-${name}`);
    return [status, told('limit'), told('policy'), told('remaining'), told('reset')];
  };
  return { clock, get };
}

test('within the limit → told how many are left; one too many → 429, for that company alone, until the next second', async () => {
  const { clock, get } = door();
  expect(await get('acme')).toEqual([200, '2', '2;w=1', '1', '1']);
  expect(await get('acme')).toEqual([200, '2', '2;w=1', '0', '1']);
  expect((await get('acme'))[0]).toBe(429);
  expect((await get('bolt'))[0]).toBe(200);
  clock.advance(1000);
  expect((await get('acme'))[0]).toBe(200);
});

test('an answer with the limit of a type → tells that one; someone without a key → is not counted', async () => {
  const { get } = door();
  expect(await get('acme', '/limited')).toEqual([200, '3', null, null, null]);
  for (let n = 0; n < 5; n++) expect(await get()).toEqual([200, null, null, null, null]);
});
