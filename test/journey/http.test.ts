import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openApplication } from '../../src/app.js';
import { loadConfig } from '../../src/config.js';
import {
  createTestDatabase,
  freePort,
  startPrivatePostgres,
  type TestDatabase,
  waitFor,
} from '../services/index.js';

/** The application as `postrider serve` runs it: a real server, a real database, the console as the way out. */
describe('HTTP on PostgreSQL', () => {
  let database: TestDatabase;
  let application: Awaited<ReturnType<typeof serve>>;
  beforeAll(async () => {
    database = await createTestDatabase();
    application = await serve(database.url);
  });
  afterAll(async () => {
    await application.stop();
    await database.drop();
  });

  const email = { to: 'reader@example.net', subject: 'Hello', text: 'Hello' };
  const send = (body: object, headers: Record<string, string> = {}) =>
    application.call('POST', '/v1/email/send', body, headers);

  test('send → 202, then sent; its log and its events can be read', async () => {
    const answer = await send(
      { ...email, companyId: 'acme', metadata: { a: 1 } },
      { 'X-Request-Id': 'req-http' },
    );
    expect(answer.status).toBe(202);
    expect(answer.body).toEqual({
      queued: true,
      emailId: expect.any(String),
      requestId: 'req-http',
      status: 'pending',
    });
    const path = `/v1/emails/${answer.body.emailId}`;
    const log = await waitFor(
      async () => {
        const { status, body } = await application.call('GET', path);
        return status === 200 && body.status === 'sent' && body;
      },
      { timeoutMs: 10_000, what: 'the email to be sent' },
    );
    expect(log).toMatchObject({
      id: answer.body.emailId,
      outboxId: answer.body.emailId,
      companyId: 'acme',
      requestId: 'req-http',
      to: 'reader@example.net',
      subject: 'Hello',
      provider: 'console',
      attempts: 1,
      metadata: { a: 1 },
      messageId: expect.any(String),
      sentAt: expect.any(String),
      durationMs: expect.any(Number),
    });
    const events = await application.call('GET', `${path}/events`);
    expect(events.status).toBe(200);
    expect(events.body.map((event: { type: string }) => event.type)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
  });

  test('metrics → the five names', async () => {
    const answer = await fetch(`${application.url}/metrics`);
    expect(answer.headers.get('content-type')).toContain('text/plain');
    const text = await answer.text();
    expect(text).toMatch(/pipeline_state_transitions_total\{state="SENT"\} [1-9]/);
    expect(text).toMatch(/pipeline_processing_duration_seconds_bucket\{le="[^"]+",state="SENT"\}/);
    expect(text).toMatch(/pipeline_final_state_total\{state="sent"\} [1-9]/);
    for (const name of ['pipeline_validation_failures_total', 'pipeline_retry_count_total']) {
      expect(text).toContain(`# TYPE ${name} counter`);
    }
  });

  test('cancel of a scheduled email → 200 cancelled; again → 409; of none → 404', async () => {
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const { body } = await send({ ...email, scheduledAt: later });
    expect(body.status).toBe('scheduled');
    const cancel = () => application.call('POST', `/v1/emails/${body.emailId}/cancel`);
    expect(await cancel()).toMatchObject({ status: 200, body: { id: body.emailId, status: 'cancelled' } });
    expect(await cancel()).toMatchObject({ status: 409, body: { code: 'EMAIL_NOT_CANCELLABLE' } });
    expect(await application.call('POST', `/v1/emails/${crypto.randomUUID()}/cancel`)).toMatchObject({
      status: 404,
      body: { code: 'EMAIL_NOT_FOUND' },
    });
  });

  test('the same Idempotency-Key → the same answer; another body → 409', async () => {
    const key = { 'Idempotency-Key': 'order-7' };
    const first = await send(email, key);
    const again = await send(email, key);
    expect({ status: again.status, body: again.body }).toEqual({ status: 202, body: first.body });
    expect(await send({ ...email, subject: 'Other' }, key)).toMatchObject({
      status: 409,
      body: { code: 'IDEMPOTENCY_CONFLICT', field: 'Idempotency-Key' },
    });
  });

  test('unknown id, id that is none, unknown path, wrong method → 404, 404, 404, 405', async () => {
    const { call } = application;
    expect(await call('GET', `/v1/emails/${crypto.randomUUID()}`)).toMatchObject({
      status: 404,
      body: { code: 'EMAIL_NOT_FOUND' },
    });
    expect(await call('GET', `/v1/emails/${crypto.randomUUID()}/events`)).toMatchObject({ status: 404 });
    expect(await call('GET', '/v1/emails/7')).toMatchObject({ status: 404 });
    expect(await call('GET', '/v1/nothing')).toMatchObject({ status: 404, body: { code: 'NOT_FOUND' } });
    expect(await call('GET', '/v1/email/send')).toMatchObject({ status: 405 });
  });

  test('a wrong field → 4xx that names it, nothing stored', async () => {
    expect(await send({ ...email, to: 'nobody' })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_EMAIL', field: 'to' },
    });
    expect(
      await send({ ...email, recipient: { recipientId: crypto.randomUUID(), email: email.to } }),
    ).toMatchObject({ status: 422, body: { code: 'RECIPIENT_NOT_FOUND', field: 'recipient.recipientId' } });
  });

  test('health → live and ready', async () => {
    expect(await application.call('GET', '/health/live')).toMatchObject({ status: 200 });
    expect(await application.call('GET', '/health/ready')).toMatchObject({
      status: 200,
      body: { ok: true, checks: { database: { ok: true } } },
    });
  });
});

test('the database stops → 503 with Retry-After, and all is well when it is back', async () => {
  const server = await startPrivatePostgres();
  const application = await serve(server.url);
  onTestFinished(async () => {
    await application.stop();
    await server.remove();
  });
  const email = { to: 'reader@example.net', subject: 'Hello', text: 'Hello' };
  const before = await application.call('POST', '/v1/email/send', email);
  expect(before.status).toBe(202);
  await server.stop('fast');
  for (const [method, path, body] of [
    ['POST', '/v1/email/send', email],
    ['GET', `/v1/emails/${before.body.emailId}`, undefined],
    ['GET', '/health/ready', undefined],
  ] as const) {
    const answer = await application.call(method, path, body);
    expect(answer.status, path).toBe(503);
    expect(Number(answer.retryAfter), path).toBeGreaterThan(0);
    expect(answer.tookMs, path).toBeLessThan(8000);
  }
  expect(await application.call('GET', '/health/live')).toMatchObject({ status: 200 });
  await server.start();
  const after = await waitFor(
    async () => {
      const answer = await application.call('POST', '/v1/email/send', email);
      return answer.status === 202 && answer;
    },
    { timeoutMs: 10_000, what: 'an email to be accepted again' },
  );
  for (const { emailId } of [before.body, after.body]) {
    await waitFor(
      async () => (await application.call('GET', `/v1/emails/${emailId}`)).body.status === 'sent',
      { timeoutMs: 20_000, what: `${emailId} to be sent` },
    );
  }
});

async function serve(databaseUrl: string) {
  const port = await freePort();
  const application = await openApplication(
    loadConfig({
      env: {},
      file: null,
      overrides: {
        database: { url: databaseUrl },
        email: { mode: 'console', fromEmail: 'noreply@example.com' },
        http: { port },
        log: { level: 'silent' },
        worker: { pollIntervalMs: 100 },
      },
    }),
  );
  await application.serve({ roles: ['api', 'worker'], hold: false });
  const url = `http://127.0.0.1:${port}`;
  return {
    url,
    stop: () => application.stop({ deadlineMs: 2000 }),
    async call(method: string, path: string, body?: object, headers: Record<string, string> = {}) {
      const before = performance.now();
      const answer = await fetch(url + path, {
        method,
        headers: { ...(body ? { 'Content-Type': 'application/json' } : {}), ...headers },
        ...(body ? { body: JSON.stringify(body) } : {}),
      });
      return {
        status: answer.status,
        // biome-ignore lint/suspicious/noExplicitAny: the tests look at whatever comes
        body: (await answer.json()) as any,
        retryAfter: answer.headers.get('retry-after'),
        tookMs: performance.now() - before,
      };
    },
  };
}
