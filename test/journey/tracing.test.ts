import { trace } from '@opentelemetry/api';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { isTracing, silentLogger, systemClock } from '../../src/kernel/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { deferred, rejected, sent } from './ground/scripted-provider.js';
import { type RecordedSpan, recordSpans } from './ground/span-recorder.js';

/** One trace from the request to the provider, for those who have an SDK; nothing for the others. */
describe('traces on PostgreSQL', () => {
  let journey: Journey;
  let app: ReturnType<typeof createHttpApp>;
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
    app = createHttpApp({
      ...{ rooms: httpRooms(journey.postrider), logger: silentLogger, clock: systemClock },
      bodyLimitBytes: 1024 ** 2,
    });
  });
  afterAll(() => journey.close());

  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
  const FROM = '00f067aa0ba902b7';
  const traceparent = `00-${TRACE}-${FROM}-01`;

  async function post(path: string, body: object, headers: Record<string, string> = { traceparent }) {
    const answer = await app.request(
      path,
      {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      },
      { remoteAddress: '127.0.0.1' },
    );
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
  }
  function recording(): RecordedSpan[] {
    const recorder = recordSpans();
    onTestFinished(recorder.stop);
    return recorder.spans;
  }
  const attemptsOf = (spans: RecordedSpan[], emailId: unknown) =>
    spans.filter(
      (span) => span.name === 'postrider attempt' && span.attributes['messaging.message.id'] === emailId,
    );
  const untilAttempts = (spans: RecordedSpan[], emailId: unknown, count: number) =>
    waitFor(() => attemptsOf(spans, emailId).length >= count && attemptsOf(spans, emailId), {
      ...{ timeoutMs: 10_000, what: `${count} spans of attempts` },
    });
  const storedOf = async (emailId: unknown) =>
    (
      await journey.pool.query(`select message ->> 'traceparent' as at from postrider.emails where id = $1`, [
        emailId,
      ])
    ).rows[0].at;

  test('a request with traceparent → accepting and every attempt are spans of that trace, with provider and outcome', async () => {
    const spans = recording();
    const email = anEmail({ companyId: 'traced', type: 'traced_mail' });
    journey.provider.script(email.to, deferred, async ({ id }) => sent(id));
    const { body } = await post('/v1/email/send', email);
    const emailId = String(body.emailId);
    await untilAttempts(spans, emailId, 1);
    await journey.untilStatus(emailId, 'retry');
    await journey.hurry(emailId);
    const [first, second] = await untilAttempts(spans, emailId, 2);
    const accept = spans.find((span) => span.name === 'postrider accept');
    expect(accept).toMatchObject({
      kind: 'PRODUCER',
      traceId: TRACE,
      parentId: FROM,
      attributes: { 'messaging.message.id': emailId, 'postrider.email.status': 'pending' },
      status: { code: 0 },
    });
    const { spanId } = accept!;
    expect(await storedOf(emailId)).toBe(`00-${TRACE}-${spanId}-01`);
    expect(first).toMatchObject({
      kind: 'CONSUMER',
      traceId: TRACE,
      parentId: spanId,
      attributes: {
        'postrider.attempt': 1,
        'postrider.outcome': 'retry',
        'postrider.provider': 'scripted',
        'postrider.route': 'default',
        'postrider.company_id': 'traced',
        'postrider.email.type': 'traced_mail',
        'error.type': expect.any(String),
      },
      status: { code: 2 },
    });
    expect(second).toMatchObject({
      traceId: TRACE,
      parentId: spanId,
      attributes: {
        'postrider.attempt': 2,
        'postrider.outcome': 'sent',
        'postrider.provider_message_id': `p-${emailId}`,
      },
      status: { code: 0 },
    });
    expect(JSON.stringify(spans)).not.toContain(email.to);
    expect(JSON.stringify(spans)).not.toContain(email.subject);
  });

  test('a provider that traces itself → its span lies within the attempt', async () => {
    const spans = recording();
    const email = anEmail();
    journey.provider.script(email.to, async ({ id }) => {
      trace.getTracer('http').startSpan('POST').end();
      return sent(id);
    });
    const { emailId } = await journey.postrider.send(email, { traceparent });
    const [attempt] = await untilAttempts(spans, emailId, 1);
    expect(spans.find((span) => span.name === 'POST')).toMatchObject({
      traceId: TRACE,
      parentId: attempt!.spanId,
    });
  });

  test('a refused email → its span fails with the code; one rejected for good → its attempt does', async () => {
    const spans = recording();
    expect((await post('/v1/email/send', { to: 'nobody' })).status).toBe(400);
    expect(spans).toMatchObject([
      { name: 'postrider accept', status: { code: 2, message: 'INVALID_EMAIL' } },
    ]);
    const email = anEmail();
    journey.provider.script(email.to, rejected);
    const { emailId } = await journey.postrider.send(email);
    const [attempt] = await untilAttempts(spans, emailId, 1);
    expect(attempt).toMatchObject({
      attributes: { 'postrider.outcome': 'failed', 'error.type': 'SMTP_550' },
    });
  });

  test('a batch and the Resend API → the same', async () => {
    const spans = recording();
    const batch = await post('/v1/email/batch', [anEmail(), anEmail()]);
    const resent = await post('/resend/emails', { ...anEmail(), from: 'a@example.com' });
    const ids = [
      ...(batch.body.emails as Array<{ emailId: string }>).map((one) => one.emailId),
      resent.body.id,
    ];
    for (const id of ids) {
      const [attempt] = await untilAttempts(spans, id, 1);
      expect(attempt).toMatchObject({ traceId: TRACE });
    }
    const accepts = spans.filter((span) => span.name === 'postrider accept');
    expect(accepts.map((span) => span.attributes['messaging.batch.message_count'])).toEqual([2, undefined]);
  });

  test('no SDK → no span, and the trace is still remembered for those who have one', async () => {
    expect(isTracing()).toBe(false);
    const { body } = await post('/v1/email/send', anEmail());
    expect(await storedOf(body.emailId)).toBe(traceparent);
    const untraced = await post('/v1/email/send', anEmail(), {});
    expect(await storedOf(untraced.body.emailId)).toBe(null);
  });

  test('a traceparent that is none → 202 over HTTP and a trace of its own; refused by name from code', async () => {
    for (const broken of [
      '',
      'x',
      `ff-${TRACE}-${FROM}-01`,
      `00-${'0'.repeat(32)}-${FROM}-01`,
      `${traceparent}-`,
    ]) {
      const { status, body } = await post('/v1/email/send', anEmail(), { traceparent: broken });
      expect(status).toBe(202);
      expect(await storedOf(body.emailId)).toBe(null);
    }
    await expect(journey.postrider.send(anEmail(), { traceparent: 'x' })).rejects.toMatchObject({
      code: 'INVALID_PAYLOAD',
      field: 'traceparent',
    });
  });
});
