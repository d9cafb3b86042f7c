import { describe, expect, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { cut, httpStub, type StubAnswer, silence, truncated } from '../http-stub.fixture.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createResendProvider, type ResendOptions } from './create-resend-provider.js';

async function stubbed(answers: StubAnswer[], options: Partial<ResendOptions> = {}) {
  const stub = await httpStub(...answers);
  const provider = createResendProvider(
    { apiKey: 're_key', baseUrl: `${stub.url}/`, ...options },
    { clock: systemClock },
  );
  return { provider, stub };
}

const OK: StubAnswer = { status: 200, body: { id: 'e1' } };

function refusal(status: number, name: string, headers: Record<string, string> = {}): StubAnswer {
  return { status, headers, body: { statusCode: status, name, message: 'no' } };
}

describe('an email to Resend', () => {
  test('accepted → sent with its id; key, authorization and payload as the API wants them', async () => {
    const { provider, stub } = await stubbed([OK]);
    const email = outgoingEmail({
      to: [{ address: 'reader@example.net', name: 'Last, First' }],
      bcc: [{ address: 'hidden@example.net' }],
      replyTo: [{ address: 'answers@example.com' }],
      subject: '확인 코드',
      headers: { 'X-A': '1' },
      attachments: [{ filename: 'a.txt', contentType: 'text/plain', content: Buffer.from('hi') }],
    });
    expect(await provider.send(email, attemptContext())).toMatchObject({
      kind: 'sent',
      providerMessageId: 'e1',
    });
    const [request] = stub.requests;
    expect(request).toMatchObject({
      method: 'POST',
      path: '/emails',
      headers: { authorization: 'Bearer re_key', 'idempotency-key': email.id },
    });
    expect(JSON.parse(request!.body)).toEqual({
      from: 'Sender <sender@example.com>',
      to: ['"Last, First" <reader@example.net>'],
      bcc: ['hidden@example.net'],
      reply_to: ['answers@example.com'],
      subject: '확인 코드',
      html: '<p>Hello</p>',
      text: 'Hello',
      headers: { 'X-A': '1' },
      attachments: [{ filename: 'a.txt', content: 'aGk=', content_type: 'text/plain' }],
    });
  });

  test('only one recipient is left → only he is written to, under another key', async () => {
    const { provider, stub } = await stubbed([OK]);
    const to = [{ address: 'a@example.net' }, { address: 'b@example.net' }];
    const email = outgoingEmail({ to, recipients: ['b@example.net'] });
    await provider.send(email, attemptContext());
    expect(JSON.parse(stub.requests[0]!.body).to).toEqual(['b@example.net']);
    expect(stub.requests[0]!.headers['idempotency-key']).toMatch(new RegExp(`^${email.id}/[0-9a-f]{16}$`));
  });

  test('only hidden recipients are left → nobody sees them', async () => {
    const { provider, stub } = await stubbed([OK]);
    const bcc = [{ address: 'x@example.net' }, { address: 'y@example.net' }];
    await provider.send(
      outgoingEmail({ bcc, recipients: bcc.map(({ address }) => address) }),
      attemptContext(),
    );
    expect(JSON.parse(stub.requests[0]!.body)).toMatchObject({
      to: ['Sender <sender@example.com>'],
      bcc: ['x@example.net', 'y@example.net'],
    });
  });

  test('control character in a name or subject → rejected without a request', async () => {
    const { provider, stub } = await stubbed([OK]);
    for (const bad of [{ subject: 'a\r\nb' }, { to: [{ address: 'a@example.net', name: 'a\nb' }] }]) {
      expect(await provider.send(outgoingEmail(bad), attemptContext())).toMatchObject({
        kind: 'rejected',
        code: 'INVALID_HEADER',
      });
    }
    expect(stub.requests).toHaveLength(0);
  });
});

describe('answers', () => {
  test.each([
    [400, 'validation_error', 'rejected', 'message'],
    [401, 'missing_api_key', 'misconfigured', 'account'],
    [401, 'restricted_api_key', 'misconfigured', 'account'],
    [403, 'invalid_api_key', 'misconfigured', 'account'],
    [403, 'validation_error', 'misconfigured', 'account'],
    [404, 'not_found', 'misconfigured', 'route'],
    [409, 'invalid_idempotent_request', 'rejected', 'message'],
    [409, 'concurrent_idempotent_requests', 'unknown', 'message'],
    [409, 'resource_locked', 'deferred', 'route'],
    [422, 'missing_required_field', 'rejected', 'message'],
    [422, 'validation_error', 'rejected', 'message'],
    [451, 'security_error', 'rejected', 'message'],
    [500, 'application_error', 'unknown', 'message'],
    [502, 'bad_gateway', 'unknown', 'message'],
    [503, 'service_unavailable', 'deferred', 'route'],
    [418, 'teapot', 'deferred', 'route'],
    [418, '__proto__', 'deferred', 'route'],
  ])('%i %s → %s, about the %s', async (status, name, kind, scope) => {
    const { provider, stub } = await stubbed([refusal(status, name)]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind,
      scope,
      code: `RESEND_${name.toUpperCase()}`,
      message: 'no',
      trace: { stage: 'reply', responseCode: status },
    });
    expect(stub.requests).toHaveLength(1);
  });

  test("403 for the sender's domain → misconfigured, about the message alone", async () => {
    const { provider } = await stubbed([
      { status: 403, body: { name: 'validation_error', message: 'The example.com domain is not verified.' } },
    ]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'misconfigured',
      scope: 'message',
      code: 'RESEND_DOMAIN_NOT_VERIFIED',
    });
  });

  test.each([
    ['seconds', () => '120'],
    ['a date', () => new Date(systemClock.now() + 120_000).toUTCString()],
  ])('429 with Retry-After as %s → deferred until then', async (_form, value) => {
    const { provider } = await stubbed([refusal(429, 'rate_limit_exceeded', { 'retry-after': value() })]);
    const before = systemClock.now();
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({ kind: 'deferred', category: 'QUOTA_ERROR', scope: 'route' });
    expect(outcome).not.toHaveProperty('uncounted');
    const waitMs = outcome.kind === 'deferred' ? outcome.retryAt! - before : 0;
    expect(waitMs).toBeGreaterThan(118_000);
    expect(waitMs).toBeLessThan(125_000);
  });

  test.each(['daily_quota_exceeded', 'monthly_quota_exceeded'])(
    '429 %s → deferred for the account, uncounted, in an hour',
    async (name) => {
      const { provider } = await stubbed([refusal(429, name)]);
      const before = systemClock.now();
      const outcome = await provider.send(outgoingEmail(), attemptContext());
      expect(outcome).toMatchObject({ kind: 'deferred', scope: 'account', uncounted: true });
      expect(outcome.kind === 'deferred' && outcome.retryAt! - before).toBeGreaterThanOrEqual(3_600_000);
    },
  );

  test.each([
    ['no JSON', { status: 200, body: 'thanks' }, 'RESEND_BROKEN_ANSWER'],
    ['an empty body', { status: 200, body: '' }, 'RESEND_BROKEN_ANSWER'],
    ['JSON that is no object', { status: 200, body: 'null' }, 'RESEND_BROKEN_ANSWER'],
    ['an id that is no text', { status: 200, body: { id: 7 } }, 'RESEND_BROKEN_ANSWER'],
    ['a body that breaks off', truncated(200, '{"id":"e'), 'RESEND_BROKEN_ANSWER'],
    ['a body without end', { status: 200, body: 'x'.repeat(300_000) }, 'RESEND_BROKEN_ANSWER'],
    ['a cut connection', cut, 'NETWORK_ERROR'],
  ] satisfies [string, StubAnswer, string][])(
    '%s → unknown, repeatable for a day thanks to the key',
    async (_case, answer, code) => {
      const { provider } = await stubbed([answer]);
      const before = systemClock.now();
      const outcome = await provider.send(outgoingEmail(), attemptContext());
      expect(outcome).toMatchObject({ kind: 'unknown', code });
      const until = outcome.kind === 'unknown' ? outcome.repeatableUntil! : 0;
      expect(until - before).toBeGreaterThanOrEqual(86_400_000);
    },
  );

  test('502 with a page instead of JSON → unknown under the status', async () => {
    const { provider } = await stubbed([{ status: 502, body: '<html>' }]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'unknown',
      code: 'RESEND_HTTP_502',
    });
  });

  test('a redirect → misconfigured, and the key goes nowhere else', async () => {
    const other = await httpStub(OK);
    const { provider } = await stubbed([{ status: 307, headers: { location: other.url } }]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'misconfigured' });
    expect(other.requests).toHaveLength(0);
  });
});

describe('lost, late and stopped', () => {
  test('nobody listens → deferred NETWORK_ERROR', async () => {
    const { provider, stub } = await stubbed([OK]);
    await stub.stop();
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'NETWORK_ERROR',
      trace: { stage: 'request' },
    });
  });

  test('no answer in its time → unknown RESEND_TIMEOUT', async () => {
    const { provider } = await stubbed([silence], { timeoutMs: 80 });
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'unknown',
      code: 'RESEND_TIMEOUT',
      category: 'TIMEOUT_ERROR',
    });
  });

  test('the time is over before the request → deferred, nothing sent', async () => {
    const { provider, stub } = await stubbed([OK]);
    const attempt = attemptContext({ sendDeadlineAt: systemClock.now() - 1 });
    expect(await provider.send(outgoingEmail(), attempt)).toMatchObject({
      kind: 'deferred',
      code: 'RESEND_TIMEOUT',
    });
    expect(stub.requests).toHaveLength(0);
  });

  test('stopped while waiting for the answer → unknown', async () => {
    const stop = new AbortController();
    const { provider } = await stubbed([() => stop.abort()]);
    expect(await provider.send(outgoingEmail(), attemptContext({ signal: stop.signal }))).toMatchObject({
      kind: 'unknown',
      code: 'STOPPING',
    });
  });
});

test('testConnection → ready, ready with a sending key, or what is wrong', async () => {
  const good = await stubbed([{ status: 200, body: { data: [] } }]);
  expect(await good.provider.testConnection()).toEqual({ ok: true, message: 'Resend is ready' });
  const restricted = await stubbed([refusal(401, 'restricted_api_key')]);
  expect(await restricted.provider.testConnection()).toMatchObject({ ok: true });
  const wrong = await stubbed([refusal(403, 'invalid_api_key')]);
  expect(await wrong.provider.testConnection()).toEqual({
    ok: false,
    message: 'Resend: 403 invalid_api_key no',
  });
  await wrong.stub.stop();
  expect(await wrong.provider.testConnection()).toMatchObject({ ok: false });
});

test.each([
  [{ apiKey: '' }, 'resend.apiKey'],
  [{ apiKey: 're_a\r\nb' }, 'resend.apiKey'],
  [{ apiKey: 're_a', baseUrl: 'ftp://x' }, 'resend.baseUrl'],
])('options %j → INVALID_CONFIG at %s', (options, field) => {
  expect(() => createResendProvider(options, { clock: systemClock })).toThrow(
    expect.objectContaining({ code: 'INVALID_CONFIG', field }),
  );
});
