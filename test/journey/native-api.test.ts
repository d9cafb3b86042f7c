import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** What the API does with an email beyond sending it: many at once, another time, its files, and what holds it back. */
describe('the native API on PostgreSQL', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor();
  });
  afterAll(() => door.close());

  const later = () => new Date(Date.now() + 3_600_000).toISOString();
  const email = (parts: object = {}) => ({ to: 'ada@example.net', subject: 'Hello', text: 'Hi', ...parts });
  const send = async (parts: object): Promise<string> =>
    (await door.call('POST', '/v1/email/send', { body: email(parts) })).body.emailId;

  test('a batch → all accepted in order, and again with its key the same answer', async () => {
    const body = [email(), email({ subject: 'Second', scheduledAt: later() })];
    const headers = { 'Idempotency-Key': 'batch-1', 'X-Request-Id': 'nightly' };
    const first = await door.call('POST', '/v1/email/batch', { body, headers });
    expect(first.status).toBe(202);
    expect(first.body.emails).toEqual([
      { queued: true, emailId: expect.any(String), requestId: 'nightly', status: 'pending' },
      { queued: true, emailId: expect.any(String), requestId: 'nightly', status: 'scheduled' },
    ]);
    const again = await door.call('POST', '/v1/email/batch', { body, headers });
    expect(again.body).toEqual(first.body);
  });

  test('a batch with one bad email → none accepted, its place named', async () => {
    const body = [email({ type: 'all_or_none' }), email({ subject: undefined })];
    const { status, body: problem } = await door.call('POST', '/v1/email/batch', { body });
    expect([status, problem.code, problem.field]).toEqual([400, 'INVALID_PAYLOAD', '[1].subject']);
    expect((await door.call('GET', '/v1/emails?type=all_or_none')).body.emails).toEqual([]);
    for (const none of [[], {}])
      expect((await door.call('POST', '/v1/email/batch', { body: none })).status).toBe(400);
  });

  test('a key of one company in a batch for another → refused with the place', async () => {
    await door.postrider.access.tenants.create({ companyId: 'alpha', name: 'Alpha' });
    const { token } = await door.postrider.access.keys.create({ companyId: 'alpha', name: 'one' });
    const body = [email(), email({ companyId: 'other' })];
    const refused = await door.call('POST', '/v1/email/batch', { body, as: token });
    expect([refused.status, refused.body.field]).toEqual([403, '[1].companyId']);
  });

  test('PATCH with another time → the email waits until then; without one → refused', async () => {
    const id = await send({ scheduledAt: later() });
    const scheduledAt = new Date(Date.now() + 7_200_000).toISOString();
    const moved = await door.call('PATCH', `/v1/emails/${id}`, { body: { scheduledAt } });
    expect(moved.body).toMatchObject({ id, status: 'scheduled', nextAttemptAt: scheduledAt });
    const events = (await door.call('GET', `/v1/emails/${id}/events`)).body;
    expect(events.map((event: { type: string }) => event.type)).toEqual(['ENQUEUED', 'RESCHEDULED']);
    for (const [body, field] of [
      [{}, 'scheduledAt'],
      [{ scheduledAt: 'soon' }, 'scheduledAt'],
      [{ at: scheduledAt }, 'at'],
    ] as const) {
      const refused = await door.call('PATCH', `/v1/emails/${id}`, { body });
      expect([refused.status, refused.body.field]).toEqual([400, field]);
    }
    await door.call('POST', `/v1/emails/${id}/cancel`, { body: {} });
    expect((await door.call('PATCH', `/v1/emails/${id}`, { body: { scheduledAt } })).status).toBe(409);
  });

  test('attachments → listed with their sizes, downloaded byte by byte and never shown', async () => {
    const files = ['', 'a', 'ab', 'abc'].map((text, index) => ({
      filename: index === 3 ? "naïve'(1).html" : `file${index}.txt`,
      content: Buffer.from(text).toString('base64'),
    }));
    const id = await send({ scheduledAt: later(), attachments: files });
    const { attachments } = (await door.call('GET', `/v1/emails/${id}/attachments`)).body;
    expect(attachments.map((file: { bytes: number }) => file.bytes)).toEqual([0, 1, 2, 3]);
    expect(attachments[3]).toEqual({
      ...{ index: 3, filename: "naïve'(1).html", contentType: 'text/html', contentId: null, bytes: 3 },
    });
    const file = await door.call('GET', `/v1/emails/${id}/attachments/3`);
    expect(file.text).toBe('abc');
    expect(file.headers.get('content-disposition')).toBe(
      "attachment; filename*=UTF-8''na%C3%AFve%27%281%29.html",
    );
    expect(file.headers.get('content-security-policy')).toContain('sandbox');
    for (const index of ['4', '-1', 'x', '9999'])
      expect((await door.call('GET', `/v1/emails/${id}/attachments/${index}`)).status).toBe(404);
  });

  test('an email without files → an empty list; content removed → 410', async () => {
    const id = await send({ scheduledAt: later() });
    expect((await door.call('GET', `/v1/emails/${id}/attachments`)).body).toEqual({ attachments: [] });
    await door.pool.query('delete from postrider.email_bodies where email_id = $1', [id]);
    const gone = await door.call('GET', `/v1/emails/${id}/attachments`);
    expect([gone.status, gone.body.code]).toEqual([410, 'CONTENT_GONE']);
  });

  test('files of a sensitive type → for the key of the company, not for operators', async () => {
    const { token } = await door.postrider.access.keys.create({ companyId: 'alpha', name: 'two' });
    const attachments = [{ filename: 'code.txt', content: 'MTIz' }];
    const body = email({ attachments, scheduledAt: later() });
    const id = (await door.call('POST', '/v1/email/send', { body, as: token })).body.emailId;
    await door.pool.query(
      "update postrider.emails set sensitive = true, subject = '(hidden)' where id = $1",
      [id],
    );
    for (const path of ['attachments', 'attachments/0']) {
      expect((await door.call('GET', `/v1/emails/${id}/${path}`)).status).toBe(403);
      expect((await door.call('GET', `/v1/emails/${id}/${path}`, { as: token })).status).toBe(200);
    }
  });

  test('a paused type → its emails wait, and go once it is lifted', async () => {
    const pause = { scope: 'type', value: 'held_back', reason: 'a wrong price' };
    const paused = await door.call('PUT', '/admin/pauses', { body: pause });
    expect(paused.body).toMatchObject(pause);
    expect((await door.call('GET', '/admin/pauses')).body.pauses).toMatchObject([pause]);
    await door.postrider.start();
    const id = await send({ type: 'held_back' });
    const status = async () => (await door.call('GET', `/v1/emails/${id}`)).body;
    await waitFor(async () => (await status()).parked, { timeoutMs: 10_000, what: 'a parked email' });
    const lifted = await door.call('DELETE', '/admin/pauses?scope=type&value=held_back');
    expect(lifted.body).toEqual({ scope: 'type', value: 'held_back', broughtBack: 1 });
    await waitFor(async () => (await status()).status === 'sent', { timeoutMs: 10_000, what: 'it was sent' });
    expect((await door.call('DELETE', '/admin/pauses?scope=type&value=held_back')).status).toBe(404);
  });

  test.each<[object, string]>([
    [{}, 'scope'],
    [{ scope: 'everyone' }, 'scope'],
    [{ scope: 'type' }, 'value'],
    [{ scope: 'type', value: 'a\u0000b' }, 'value'],
    [{ scope: 'all', value: 'x' }, 'value'],
    [{ scope: 'all', why: 'x' }, 'why'],
  ])('a pause of %j → refused at %s', async (body, field) => {
    const { status, body: problem } = await door.call('PUT', '/admin/pauses', { body });
    expect([status, problem.field]).toEqual([400, field]);
  });

  test('routes and overview → what runs and what waits', async () => {
    await door.postrider.start();
    const { routes } = (await door.call('GET', '/admin/routes')).body;
    expect(routes).toMatchObject([{ name: 'default', circuit: 'closed', paused: false }]);
    const overview = (await door.call('GET', '/admin/overview')).body;
    expect(overview.workers).toHaveLength(1);
  });
});
