import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAccess } from '../../src/access/index.js';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { answerLost, rejected, sent } from './ground/scripted-provider.js';

/** An operator's routes over a real ledger. */
describe('operations over HTTP on PostgreSQL', () => {
  let journey: Journey;
  let app: ReturnType<typeof createHttpApp>;
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
    app = createHttpApp({
      rooms: httpRooms(journey.postrider),
      logger: silentLogger,
      clock: systemClock,
      bodyLimitBytes: 1_000_000,
    });
  });
  afterAll(() => journey.close());

  async function call(method: string, path: string, body?: object) {
    const headers: Record<string, string> = body ? { 'content-type': 'application/json' } : {};
    const answer = await app.request(
      `http://127.0.0.1${path}`,
      {
        method,
        headers,
        ...(body && { body: JSON.stringify(body) }),
      },
      { remoteAddress: '127.0.0.1' },
    );
    // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
    return { status: answer.status, body: (await answer.json()) as any };
  }
  const waiting = async (companyId: string, parts: object = {}) =>
    (await journey.postrider.schedule(anEmail({ companyId, ...parts }), new Date(Date.now() + 3_600_000)))
      .emailId;
  async function dead(
    parts: object,
    outcome: typeof rejected | typeof answerLost = rejected,
  ): Promise<string> {
    const email = anEmail(parts);
    journey.provider.script(email.to, outcome, async ({ id }) => sent(id));
    const { emailId } = await journey.postrider.send(email);
    await waitFor(() => journey.postrider.deadLetters.get(emailId), {
      timeoutMs: 10_000,
      what: 'a dead letter',
    });
    return emailId;
  }
  const idsOf = (emails: Array<{ id: string }>) => emails.map((email) => email.id);

  test('GET /v1/emails → pages by cursor that hold while more come in', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 5; n++) ids.unshift(await waiting('pages'));
    const first = await call('GET', '/v1/emails?companyId=pages&limit=2');
    expect(idsOf(first.body.emails)).toEqual(ids.slice(0, 2));
    await waiting('pages');
    const second = await call('GET', `/v1/emails?companyId=pages&limit=3&cursor=${first.body.nextCursor}`);
    expect(idsOf(second.body.emails)).toEqual(ids.slice(2));
    expect(second.body.nextCursor).toBeNull();
  });

  test('every filter → finds the email it describes and no other', async () => {
    const id = await dead({ companyId: 'found', type: 'found_type', userId: 'found-user' });
    await journey.postrider.deadLetters.retry({ emailIds: [id] });
    const log = await journey.untilStatus(id, 'sent');
    const other = await waiting('found', { type: 'other_type' });
    const cancelled = await waiting('found', { type: 'other_type' });
    await journey.postrider.cancel(cancelled);
    const today = new Date().toISOString().slice(0, 10);
    for (const [query, expected] of [
      ['companyId=found', [cancelled, other, id]],
      ['companyId=found&status=all', [cancelled, other, id]],
      ['companyId=found&status=sent', [id]],
      ['companyId=found&status=failed', []],
      ['companyId=found&status=scheduled', [other]],
      ['companyId=found&status=cancelled', [cancelled]],
      ['companyId=found&status=expired', []],
      ['type=found_type', [id]],
      ['userId=found-user', [id]],
      [`recipient=${log.to}`, [id]],
      [`messageId=${log.messageId}`, [id]],
      ['companyId=found&provider=scripted', [id]],
      ['companyId=found&provider=smtp', []],
      ['companyId=found&status=sent&provider=scripted', [id]],
      ['companyId=found&days=1', [cancelled, other, id]],
      [`companyId=found&from=${today}&to=${today}`, [cancelled, other, id]],
      ['companyId=found&to=2020-01-01', []],
    ] as const) {
      const { status, body } = await call('GET', `/v1/emails?${query}`);
      expect(status, query).toBe(200);
      expect(idsOf(body.emails), query).toEqual(expected);
    }
  });

  test.each([
    ['status=lost', 'status'],
    ['limit=1000', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['cursor=1', 'cursor'],
    ['statsu=sent', 'statsu'],
    ['from=2026-02-30', 'from'],
    ['companyId=%00', 'companyId'],
  ])('GET /v1/emails?%s → 400 naming %s', async (query, field) => {
    expect(await call('GET', `/v1/emails?${query}`)).toMatchObject({ status: 400, body: { field } });
  });

  test('dead letters → listed, grouped, shown with their journal, retried and discarded', async () => {
    const [first, second] = [await dead({ companyId: 'desk' }), await dead({ companyId: 'desk' })];
    const list = await call('GET', '/admin/dead-letters?companyId=desk');
    expect(idsOf(list.body.deadLetters)).toEqual([second, first]);
    expect((await call('GET', '/admin/dead-letters/groups?companyId=desk')).body.groups).toEqual([
      { errorCode: 'SMTP_550', status: 'failed', count: 2, newestId: second },
    ]);
    const shown = await call('GET', `/admin/dead-letters/${first}`);
    expect(shown.body).toMatchObject({ id: first, contentKept: true });
    expect(shown.body.events.at(-1).type).toBe('FAILED');
    expect(await call('POST', `/admin/dead-letters/${first}/retry`)).toMatchObject({ status: 202 });
    expect(await call('POST', `/admin/dead-letters/${first}/retry`)).toMatchObject({
      status: 409,
      body: { code: 'DEAD_LETTER_NOT_RETRYABLE' },
    });
    await journey.untilStatus(first, 'sent');
    expect(
      await call('POST', '/admin/dead-letters/discard', { filter: { companyId: 'desk' }, reason: 'old' }),
    ).toMatchObject({ status: 200, body: { discarded: 1 } });
    expect(await call('GET', `/admin/dead-letters/${second}`)).toMatchObject({ status: 404 });
    expect(await call('POST', `/admin/dead-letters/${second}/discard`)).toMatchObject({ status: 404 });
  });

  test('one that may have been delivered → 409 until acceptDuplicates', async () => {
    const id = await dead({ delivery: 'at-most-once' }, answerLost);
    const path = `/admin/dead-letters/${id}/retry`;
    expect(await call('POST', path)).toMatchObject({ status: 409, body: { code: 'DUPLICATE_POSSIBLE' } });
    expect(await call('POST', path, { acceptDuplicates: 'yes' })).toMatchObject({
      status: 400,
      body: { field: 'acceptDuplicates' },
    });
    expect(await call('POST', path, { acceptDuplicates: true })).toMatchObject({ status: 202 });
  });

  test('retry of many with a field nobody knows, or of nothing said → 400, nothing done', async () => {
    const id = await dead({ companyId: 'careful' });
    const retry = (body: object) => call('POST', '/admin/dead-letters/retry', body);
    expect(await retry({ filter: { compnayId: 'careful' } })).toMatchObject({
      status: 400,
      body: { field: 'filter.compnayId' },
    });
    expect(await retry({ fliter: {} })).toMatchObject({ status: 400, body: { field: 'fliter' } });
    expect(await retry({})).toMatchObject({ status: 400, body: { field: 'emailIds' } });
    expect(await journey.postrider.deadLetters.get(id)).not.toBeNull();
  });

  test('bulk cancel → a dry run counts, then it cancels; without a filter → 400', async () => {
    const id = await waiting('bulk');
    const cancel = (body: object) => call('POST', '/admin/emails/cancel', body);
    expect(await cancel({ filter: { companyId: 'bulk' }, dryRun: true })).toMatchObject({
      body: { matching: 1, cancelled: 0 },
    });
    expect(await cancel({ filter: { companyId: 'bulk' }, dryrun: true })).toMatchObject({ status: 400 });
    expect((await journey.postrider.get(id))?.status).toBe('scheduled');
    expect(await cancel({ filter: { companyId: 'bulk' } })).toMatchObject({ body: { cancelled: 1 } });
    expect(await cancel({})).toMatchObject({ status: 400, body: { field: 'filter' } });
    expect(await cancel({ filter: {} })).toMatchObject({ status: 400, body: { field: 'filter.status' } });
  });

  test('erasure → counts what went; of nobody in particular → 400', async () => {
    const id = await waiting('erased', { to: 'leaver@example.com' });
    expect(
      await call('POST', '/admin/erasures', { email: 'leaver@example.com', companyId: 'erased' }),
    ).toMatchObject({
      status: 200,
      body: { emails: 1, cancelled: 1, complete: true },
    });
    expect(await journey.postrider.get(id)).toBeNull();
    expect(await call('POST', '/admin/erasures', {})).toMatchObject({
      status: 400,
      body: { field: 'email' },
    });
    expect(await call('POST', '/admin/erasures', { mail: 'x' })).toMatchObject({
      status: 400,
      body: { field: 'mail' },
    });
  });

  test('GET /admin/emails → full details and statistics; unknown filters → 400', async () => {
    const id = await dead({ companyId: 'logged', type: 'logged_mail' });
    const { status, body } = await call('GET', '/admin/emails?status=failed&days=7&companyId=logged');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      emails: [
        { id, status: 'failed', errorCode: 'SMTP_550', history: [{ attempt: 1, detail: { stage: 'rcpt' } }] },
      ],
      page: 1,
      limit: 50,
      nextCursor: null,
      stats: {
        totalSent: 0,
        totalFailed: 1,
        failureRate: 100,
        byType: { logged_mail: { sent: 0, failed: 1 } },
      },
    });
    expect(await call('GET', '/admin/emails?state=failed')).toMatchObject({
      status: 400,
      body: { field: 'state' },
    });
  });

  test('GET /api/profile/emails → a user’s own by their token; without one nothing', async () => {
    const access = createAccess({
      database: () => journey.postrider.ready(),
      sendCode: async () => {},
      times: { idleMs: 60_000, maxMs: 60_000 },
      userTokenKeys: ['k'.repeat(32)],
      clock: systemClock,
      logger: silentLogger,
    });
    const guarded = createHttpApp({
      rooms: httpRooms(journey.postrider),
      logger: silentLogger,
      clock: systemClock,
      apiKey: 'operator',
      access,
      bodyLimitBytes: 1_000_000,
    });
    const get = async (path: string, token: string) => {
      const answer = await guarded.request(`http://127.0.0.1${path}`, {
        headers: { authorization: `Bearer ${token}` },
      });
      // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
      return { status: answer.status, body: (await answer.json()) as any };
    };
    const user = { userId: 'profile-user', companyId: 'profile' };
    const { emailId } = await journey.postrider.send(anEmail({ ...user, subject: 'For you' }));
    await journey.untilStatus(emailId, 'sent');
    const token = access.users.sign(user);
    expect(await get('/api/profile/emails?page=1&limit=20', token)).toEqual({
      status: 200,
      body: {
        emails: [{ subject: 'For you', type: null, sentAt: expect.any(String), status: 'sent' }],
        total: 1,
        page: 1,
        pages: 1,
        more: false,
      },
    });
    const other = access.users.sign({ ...user, companyId: 'another' });
    expect((await get('/api/profile/emails', other)).body.total).toBe(0);
    expect((await get('/api/profile/emails?userId=x', token)).status).toBe(400);
    expect((await get('/api/profile/emails', 'operator')).status).toBe(403);
    expect((await get('/api/profile/emails', `${token}x`)).status).toBe(401);
    expect((await get('/admin/emails', token)).status).toBe(403);
  });
});
