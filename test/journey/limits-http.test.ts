import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { describeWith } from '../services/index.js';
import { awayFromWindowEnd } from './ground/away-from-window-end.js';
import { type Door, openDoor } from './ground/open-door.js';
import { anEmail } from './ground/open-journey.js';

beforeEach(() => awayFromWindowEnd(), 30_000);

/** Limits and quotas over HTTP: what a sender is told, and what an operator may set. */
describeWith('postgres')('limits over HTTP', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.close());

  test('a limited email → what is left in headers and body; one too many → 429 with limit, remaining, reset', async () => {
    const body = anEmail({ type: 'circle_invitation' });
    for (let n = 4; n >= 0; n--) {
      const answer = await door.call('POST', '/v1/email/send', { body });
      expect(answer.status).toBe(202);
      expect(answer.headers.get('ratelimit-limit')).toBe('5');
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(n));
      expect(Number(answer.headers.get('ratelimit-reset'))).toBeLessThanOrEqual(86_400 + 1);
      expect(answer.body.rateLimit).toMatchObject({ limit: 5, remaining: n });
    }
    const refused = await door.call('POST', '/v1/email/send', { body });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({
      ...{ code: 'RATE_LIMITED', status: 429, field: 'to' },
      rateLimit: { limit: 5, remaining: 0, resetAt: expect.stringMatching(/T00:00:00.000Z$/) },
    });
    const wait = Number(refused.headers.get('retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(86_400);
    expect(refused.headers.get('ratelimit-reset')).toBe(refused.headers.get('retry-after'));
    expect(refused.headers.get('ratelimit-remaining')).toBe('0');
    expect(refused.text).not.toContain(body.to);
  });

  test('once per person → the refusal has no Retry-After, since waiting does not help', async () => {
    const body = anEmail({ type: 'welcome' });
    await door.call('POST', '/v1/email/send', { body });
    const refused = await door.call('POST', '/v1/email/send', { body });
    expect(refused.body).toMatchObject({ code: 'RATE_LIMITED', rateLimit: { resetAt: null } });
    expect(refused.headers.get('retry-after')).toBeNull();
    expect(refused.headers.get('ratelimit-reset')).toBeNull();
  });

  test('an email without a limit → no word of one', async () => {
    const answer = await door.call('POST', '/v1/email/send', { body: anEmail() });
    expect(answer.headers.get('ratelimit-limit')).toBeNull();
    expect(answer.body).not.toHaveProperty('rateLimit');
  });

  test('limits set, listed, asked about and removed', async () => {
    const change = { limit: 2, windowSeconds: 3600, companyId: 'acme' };
    const set = await door.call('PUT', '/admin/rate-limits/own_type', { body: change });
    expect(set.body).toEqual({ type: 'own_type', ...change, source: 'set' });
    const listed = await door.call('GET', '/admin/rate-limits?companyId=acme');
    expect(listed.body.rateLimits).toContainEqual(set.body);
    expect((await door.call('GET', '/admin/rate-limits?companyId=other')).body.rateLimits).not.toContainEqual(
      set.body,
    );
    const email = anEmail({ type: 'own_type', companyId: 'acme' });
    await door.call('POST', '/v1/email/send', { body: email });
    const asked = { address: email.to, type: 'own_type', companyId: 'acme' };
    expect((await door.call('POST', '/admin/rate-limits/check', { body: asked })).body).toMatchObject({
      ...{ allowed: true, limit: 2, remaining: 1 },
    });
    const reset = await door.call('POST', '/admin/rate-limits/reset', { body: asked });
    expect([reset.status, reset.body]).toEqual([200, { counted: 1 }]);
    expect((await door.call('POST', '/admin/rate-limits/check', { body: asked })).body.remaining).toBe(2);
    const byUser = { ...asked, address: undefined, userId: 'u-1' };
    expect((await door.call('POST', '/admin/rate-limits/check', { body: byUser })).body).toMatchObject({
      ...{ code: 'INVALID_PAYLOAD', field: 'userId' },
    });
    const removed = await door.call('DELETE', '/admin/rate-limits/own_type?companyId=acme');
    expect(removed.status).toBe(200);
    expect((await door.call('DELETE', '/admin/rate-limits/own_type?companyId=acme')).status).toBe(404);
  });

  test('a user has had a welcome → the check by userId says so; reset → the next may go', async () => {
    const body = anEmail({ type: 'welcome', userId: 'u-77' });
    await door.call('POST', '/v1/email/send', { body });
    const whose = { type: 'welcome', userId: 'u-77' };
    const left = async () => (await door.call('POST', '/admin/rate-limits/check', { body: whose })).body;
    expect(await left()).toMatchObject({ allowed: false, limit: 1, remaining: 0 });
    expect((await door.call('POST', '/admin/rate-limits/reset', { body: whose })).body).toEqual({
      counted: 1,
    });
    expect(await left()).toMatchObject({ allowed: true, remaining: 1 });
    expect((await door.call('POST', '/v1/email/send', { body })).status).toBe(202);
  });

  test('quotas set, listed, met and removed', async () => {
    const set = await door.call('PUT', '/admin/quotas/shop/day', { body: { limit: 1 } });
    expect(set.body).toMatchObject({ companyId: 'shop', period: 'day', limit: 1, used: 0, remaining: 1 });
    const body = anEmail({ companyId: 'shop' });
    expect((await door.call('POST', '/v1/email/send', { body })).status).toBe(202);
    const refused = await door.call('POST', '/v1/email/send', { body });
    expect([refused.status, refused.body.code]).toEqual([429, 'QUOTA_EXCEEDED']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    const listed = await door.call('GET', '/admin/quotas?companyId=shop');
    expect(listed.body.quotas).toMatchObject([{ used: 1, remaining: 0 }]);
    expect((await door.call('DELETE', '/admin/quotas/shop/day')).status).toBe(200);
    expect((await door.call('POST', '/v1/email/send', { body })).status).toBe(202);
  });

  test.each([
    ['PUT', '/admin/rate-limits/own_type', { limit: 'many', windowSeconds: 60 }, 'limit'],
    ['PUT', '/admin/rate-limits/own_type', { limit: 1, window: 60 }, 'window'],
    ['PUT', '/admin/rate-limits/own%20type', { limit: 1, windowSeconds: 60 }, 'type'],
    ['PUT', '/admin/quotas/shop/day', { limit: null }, 'limit'],
    ['PUT', '/admin/quotas/shop/week', { limit: 1 }, 'period'],
    ['POST', '/admin/rate-limits/check', { type: 'welcome', address: 7 }, 'address'],
    ['POST', '/admin/rate-limits/reset', { type: 'welcome' }, 'userId'],
    ['POST', '/admin/rate-limits/reset', { type: 'welcome', userId: 'a', address: 'a@b.example' }, 'address'],
    [
      'POST',
      '/admin/rate-limits/check',
      { type: 'welcome', address: 'a@b.example', companyId: null },
      'companyId',
    ],
  ])('%s %s %j → 400 naming the field', async (method, path, body, field) => {
    const answer = await door.call(method, path, { body });
    expect([answer.status, answer.body.field]).toEqual([400, field]);
  });

  test('a tenant’s own key → may not set or see limits', async () => {
    await door.postrider.access.tenants.create({ companyId: 'acme' }, {
      name: 'test',
      kind: 'root',
    } as never);
    const made = await door.call('POST', '/admin/keys', {
      body: { companyId: 'acme', name: 'all of it', permission: 'full' },
    });
    const as = made.body.token as string;
    const set = await door.call('PUT', '/admin/quotas/acme/day', { as, body: { limit: 9 } });
    expect([set.status, (await door.call('GET', '/admin/rate-limits', { as })).status]).toEqual([403, 403]);
  });
});
