import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { type Door, openDoor } from './ground/open-door.js';

/** One email as operators look at it, once more, the list as a file, and the figures of the overview. */
describe('what operators see of emails', () => {
  let door: Door;
  beforeAll(async () => {
    door = await openDoor({ config: { limits: { enabled: false } } });
    await door.postrider.start();
  });
  afterAll(() => door.close());

  const PIXEL = 'iVBORw0KGgo=';
  const send = async (email: object = {}) => {
    const input = { to: 'ada@example.net', subject: 'Hello', html: '<p>Hi</p>', text: 'Hi', ...email };
    const { emailId } = await door.postrider.send(input as Parameters<Door['postrider']['send']>[0]);
    return emailId;
  };
  const ended = (emailId: string) =>
    waitFor(async () => ['sent', 'failed'].includes((await door.postrider.get(emailId))?.status ?? ''), {
      timeoutMs: 20_000,
      what: `${emailId} to end`,
    });

  test('a sent email → its attempts, its envelope, its files, and its content in a frame that can do nothing', async () => {
    const emailId = await send({
      html: '<p>Hi <img src="cid:logo"></p>',
      cc: 'bob@example.net',
      headers: { 'X-Order': '42' },
      attachments: [{ filename: 'logo.png', content: PIXEL, contentType: 'image/png', contentId: 'logo' }],
    });
    await ended(emailId);
    const { body } = await door.call('GET', `/admin/emails/${emailId}`);
    expect(body).toMatchObject({
      ...{ id: emailId, status: 'sent', content: 'kept' },
      history: [{ attempt: 1, status: 'sent' }],
      envelope: { cc: [{ address: 'bob@example.net' }], headers: { 'X-Order': '42' } },
      attachments: [{ index: 0, filename: 'logo.png' }],
    });
    const content = await door.call('GET', `/admin/emails/${emailId}/content`);
    expect(content.body).toEqual({ html: '<p>Hi <img src="cid:logo"></p>', text: 'Hi' });
    const frame = await door.call('GET', `/admin/emails/${emailId}/html`);
    expect(frame.text).toContain(`src="data:image/png;base64,${PIXEL}"`);
    expect(frame.headers.get('content-security-policy')).toMatch(
      /^sandbox allow-popups[^;]*; default-src 'none'/,
    );
  });

  test('once more → a new email with the same content that names the first; the same key twice → one', async () => {
    const emailId = await send({
      ...{ subject: 'Again', metadata: { order: 42 }, type: 'order_packed' },
      attachments: [{ filename: 'a.txt', content: 'aGk=' }],
    });
    await ended(emailId);
    const again = () =>
      door.call('POST', `/admin/emails/${emailId}/resend`, { headers: { 'Idempotency-Key': 'press-1' } });
    const [first, second] = [await again(), await again()];
    expect([first.status, second.status], first.text).toEqual([202, 202]);
    expect(second.body.emailId).toBe(first.body.emailId);
    expect(first.body.emailId).not.toBe(emailId);
    const { body } = await door.call('GET', `/admin/emails/${first.body.emailId}`);
    expect(body).toMatchObject({
      ...{ subject: 'Again', type: 'order_packed', metadata: { order: 42, resendOf: emailId } },
      attachments: [{ filename: 'a.txt' }],
    });
  });

  test('a sensitive type → neither shown nor sent again; removed content → 410; no such email → 404', async () => {
    const emailId = await send();
    await ended(emailId);
    await door.pool.query(
      "update postrider.emails set sensitive = true, subject = '(hidden)' where id = $1",
      [emailId],
    );
    expect((await door.call('GET', `/admin/emails/${emailId}`)).body.content).toBe('hidden');
    for (const [method, path] of [
      ['GET', 'content'],
      ['GET', 'html'],
      ['POST', 'resend'],
    ] as const)
      expect((await door.call(method, `/admin/emails/${emailId}/${path}`)).status, path).toBe(403);
    const removed = await send();
    await ended(removed);
    await door.pool.query('delete from postrider.email_bodies where email_id = $1', [removed]);
    expect((await door.call('GET', `/admin/emails/${removed}`)).body.content).toBe('removed');
    expect((await door.call('GET', `/admin/emails/${removed}/content`)).status).toBe(410);
    expect((await door.call('POST', `/admin/emails/${removed}/resend`)).body.code).toBe('CONTENT_GONE');
    const nobody = '01a1def1-9ed6-7000-8fe3-719f10b82e28';
    for (const path of ['', '/content', '/html'])
      expect((await door.call('GET', `/admin/emails/${nobody}${path}`)).status).toBe(404);
  });

  test('the list as a file → every page of the filter, formulas as text; a filter that does not hold → refused', async () => {
    const rows = Array.from({ length: 205 }, (_, i) => ({
      ...{ to: 'export@example.net', subject: i === 0 ? '=cmd|calc' : `Number ${i}`, text: 'x' },
      companyId: 'exporter',
    }));
    await door.postrider.sendBatch(rows);
    const answer = await door.call('GET', '/admin/emails/export?companyId=exporter&days=1');
    expect(answer.headers.get('content-type')).toBe('text/csv; charset=utf-8');
    const lines = answer.text.trimEnd().split('\r\n');
    expect(lines[0]).toMatch(/^id,createdAt,status,companyId,type,to,subject/);
    expect(lines).toHaveLength(206);
    expect(answer.text).toContain(`"'=cmd|calc"`);
    expect((await door.call('GET', '/admin/emails/export?status=nonsense')).body.field).toBe('status');
  });

  test('what flows → the seconds just gone; how it went → the same emails in the last step, with how long it took', async () => {
    const emailId = await send();
    await ended(emailId);
    await waitFor(
      async () => {
        const { body } = await door.call('GET', '/admin/flow');
        const total = (name: string) =>
          body.seconds.reduce((sum: number, second: Record<string, number>) => sum + second[name]!, 0);
        return total('accepted') > 200 && total('sent') > 0;
      },
      { timeoutMs: 20_000, what: 'the flow to show it' },
    );
    const { body } = await door.call('GET', '/admin/flow');
    for (let i = 1; i < body.seconds.length; i++) expect(body.seconds[i].at - body.seconds[i - 1].at).toBe(1);
    expect(body.queue).toMatchObject({ workers: 1 });
    for (const [hours, steps] of Object.entries({ 1: 12, 24: 24, 168: 168, 720: 30 })) {
      const figures = await door.call('GET', `/admin/figures?hours=${hours}`);
      expect(figures.body.series, figures.text).toHaveLength(steps);
      const sent = figures.body.series.reduce((sum: number, point: { sent: number }) => sum + point.sent, 0);
      expect(sent).toBe(figures.body.totalSent);
      expect(sent).toBeGreaterThan(0);
      expect(figures.body.latency.p95Ms).toBeGreaterThanOrEqual(figures.body.latency.p50Ms);
    }
    expect((await door.call('GET', '/admin/figures?hours=2')).body.field).toBe('hours');
  });
});
