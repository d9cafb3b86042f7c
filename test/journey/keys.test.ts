import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Door, openDoor, ROOT } from './ground/open-door.js';

/** Tenants and their keys, over a real socket into a real PostgreSQL; the second door is another process's. */
describe('API keys', () => {
  let door: Door;
  let other: Door;
  beforeAll(async () => {
    const config = { access: { userTokenKey: 'k'.repeat(32) } };
    door = await openDoor({ config });
    other = await openDoor({ database: door.database, config });
    for (const companyId of ['acme', 'bolt', 'gone']) await tenant({ companyId });
  });
  afterAll(async () => {
    await other.close();
    await door.close();
  });

  const email = { to: 'reader@example.net', subject: 'Hello', text: 'Hello' };
  const tenant = (body: object) => door.call('POST', '/admin/tenants', { body });
  const send = (as: string, body: object = {}, at = door) =>
    at.call('POST', '/v1/email/send', { as, body: { ...email, ...body } });
  async function key(body: object): Promise<{ id: string; token: string }> {
    const answer = await door.call('POST', '/admin/keys', { body: { name: 'test', ...body } });
    expect(answer.status, answer.text).toBe(201);
    return answer.body;
  }

  test('a new key → its token is shown once, the database and the list have only its hash and how it begins', async () => {
    const made = await key({ companyId: 'acme', name: 'web shop' });
    expect(made.token).toMatch(/^re_[A-Za-z0-9_-]{43}$/);
    const { body } = await door.call('GET', '/admin/keys?companyId=acme');
    const listed = body.keys.find((one: { id: string }) => one.id === made.id);
    expect(listed).toMatchObject({
      companyId: 'acme',
      name: 'web shop',
      permission: 'full',
      revokedAt: null,
      hint: made.token.slice(0, 10),
    });
    const dump = JSON.stringify([
      (await door.pool.query('select * from postrider.api_keys')).rows,
      (await door.pool.query('select * from postrider.audit_log')).rows,
      body,
      door.lines,
    ]);
    expect(dump).not.toContain(made.token.slice(10));
  });

  test('a key sends → the email is of its tenant, whether the body says so or not', async () => {
    const { token } = await key({ companyId: 'acme' });
    for (const body of [{}, { companyId: 'acme' }, { companyId: null }]) {
      const sent = await send(token, body);
      expect(sent.status, sent.text).toBe(202);
      const log = await door.call('GET', `/v1/emails/${sent.body.emailId}`, { as: token });
      expect(log.body.companyId).toBe('acme');
    }
  });

  test('another companyId in the body → 403 naming it, nothing stored', async () => {
    const { token } = await key({ companyId: 'acme' });
    const answer = await send(token, { companyId: 'bolt', subject: 'foreign' });
    expect([answer.status, answer.body.code, answer.body.field]).toEqual([
      403,
      'COMPANY_NOT_ALLOWED',
      'companyId',
    ]);
    const { rowCount } = await door.pool.query(`select 1 from postrider.emails where subject = 'foreign'`);
    expect(rowCount).toBe(0);
  });

  test("another tenant's email → 404, as one that does not exist", async () => {
    const mine = await key({ companyId: 'acme' });
    const theirs = await key({ companyId: 'bolt' });
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await send(theirs.token, { scheduledAt: later });
    for (const [method, path] of [
      ['GET', `/v1/emails/${body.emailId}`],
      ['GET', `/v1/emails/${body.emailId}/events`],
      ['POST', `/v1/emails/${body.emailId}/cancel`],
    ] as const) {
      const answer = await door.call(method, path, { as: mine.token });
      expect([answer.status, answer.body.code], path).toEqual([404, 'EMAIL_NOT_FOUND']);
    }
    const log = await door.call('GET', `/v1/emails/${body.emailId}`, { as: theirs.token });
    expect(log.body.status).toBe('scheduled');
  });

  test('a sending key → may send, may not look, cancel or administer', async () => {
    const { token } = await key({ companyId: 'acme', permission: 'sending' });
    const sent = await send(token);
    expect(sent.status).toBe(202);
    for (const [method, path] of [
      ['GET', `/v1/emails/${sent.body.emailId}`],
      ['POST', `/v1/emails/${sent.body.emailId}/cancel`],
      ['GET', '/admin/keys'],
      ['GET', '/metrics'],
    ] as const) {
      expect((await door.call(method, path, { as: token })).status, path).toBe(403);
    }
  });

  test('a key bound to domains → sends from those alone, and names its sender', async () => {
    const { token } = await key({ companyId: 'acme', fromDomains: ['Shop.Example'] });
    expect((await send(token, { from: 'Shop <hello@SHOP.example>' })).status).toBe(202);
    for (const from of ['hello@other.example', 'hello@sub.shop.example', 'hello@xshop.example', undefined]) {
      const answer = await send(token, from === undefined ? {} : { from });
      expect([answer.status, answer.body.code, answer.body.field], from).toEqual([
        403,
        'SENDER_NOT_ALLOWED',
        'from',
      ]);
    }
  });

  test('revoked → refused at once by every process, also while many ask', async () => {
    const { id, token } = await key({ companyId: 'acme' });
    expect((await send(token)).status).toBe(202);
    expect((await send(token, {}, other)).status).toBe(202);
    // Questions that were begun before the key is revoked must answer nobody who comes after.
    const before = Array.from({ length: 20 }, () => other.call('GET', '/v1/emails', { as: token }));
    const revoked = await door.call('DELETE', `/admin/keys/${id}`);
    expect(revoked.body.revokedAt).toEqual(expect.any(String));
    const after = await Promise.all([door, other, other, door].map((at) => send(token, {}, at)));
    expect(after.map(({ status }) => status)).toEqual([401, 401, 401, 401]);
    for (const { status } of await Promise.all(before)) expect([200, 401]).toContain(status);
  });

  test('a disabled tenant → its keys and its users are refused at once everywhere, the library soon; enabled → accepted', async () => {
    const { token } = await key({ companyId: 'gone' });
    const user = door.postrider.access.users.sign({ userId: 'u1', companyId: 'gone' });
    const profile = (at: Door) => at.call('GET', '/api/profile/emails', { as: user });
    expect((await send(token, {}, other)).status).toBe(202);
    expect((await profile(other)).status).toBe(200);
    await door.call('PATCH', '/admin/tenants/gone', { body: { disabled: true } });
    expect((await send(token)).status).toBe(401);
    expect((await send(token, {}, other)).status).toBe(401);
    expect([(await profile(door)).status, (await profile(other)).status]).toEqual([401, 401]);
    const refusal = () =>
      other.postrider.send({ ...email, companyId: 'gone' }).then(
        () => null,
        (error) => ({ code: error.code, field: error.field }),
      );
    await waitFor(async () => (await refusal()) !== null, {
      timeoutMs: 20_000,
      what: 'the library to refuse',
    });
    expect(await refusal()).toEqual({ code: 'TENANT_DISABLED', field: 'companyId' });
    await door.call('PATCH', '/admin/tenants/gone', { body: { disabled: false } });
    expect((await profile(other)).status).toBe(200);
    expect((await send(token)).status).toBe(202);
  });

  test('used → when it was last used is written, once a minute at most', async () => {
    const { id, token } = await key({ companyId: 'acme' });
    const usedAt = async () =>
      (await door.pool.query('select last_used_at from postrider.api_keys where id = $1', [id])).rows[0]
        .last_used_at;
    await send(token);
    const first = await waitFor(usedAt, { timeoutMs: 2000, what: 'the time of use' });
    await Promise.all([send(token), send(token), send(token, {}, other)]);
    expect(await usedAt()).toEqual(first);
  });

  test.each([
    ['none', null],
    ['an unknown one', `re_${'a'.repeat(43)}`],
    ['one cut short', 're_abc'],
    ['the wrong operator key', `${ROOT}x`],
  ])('%s → 401', async (_case, as) => {
    const answer = await door.call('GET', '/v1/emails/7', { as });
    expect([answer.status, answer.body.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test.each([
    ['no name', { companyId: 'acme', name: '' }, 400, 'name'],
    ['a control character', { companyId: 'acme', name: 'a\r\nb' }, 400, 'name'],
    ['no tenant', { companyId: 'nobody', name: 'a' }, 404, 'companyId'],
    ['a domain that is none', { companyId: 'acme', name: 'a', fromDomains: ['a b'] }, 400, 'fromDomains[0]'],
    ['an unknown permission', { companyId: 'acme', name: 'a', permission: 'all' }, 400, 'permission'],
    ['an unknown field', { companyId: 'acme', name: 'a', domains: [] }, 400, 'domains'],
  ])('a key with %s → refused, naming the field', async (_case, body, status, field) => {
    const answer = await door.call('POST', '/admin/keys', { body });
    expect([answer.status, answer.body.field], answer.text).toEqual([status, field]);
  });
});
