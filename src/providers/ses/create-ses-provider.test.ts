import { simpleParser } from 'mailparser';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../kernel/index.js';
import { cut, httpStub, type StubAnswer, silence, truncated } from '../http-stub.fixture.js';
import { attemptContext, outgoingEmail } from '../outgoing-email.fixture.js';
import { createSesProvider } from './create-ses-provider.js';
import { checkSdkInstalled, type SesOptions } from './ses-options.js';

async function stubbed(answers: StubAnswer[], options: Partial<SesOptions> = {}) {
  const stub = await httpStub(...answers);
  const provider = createSesProvider(
    {
      region: 'eu-north-1',
      endpoint: stub.url,
      credentials: { accessKeyId: 'AKIA', secretAccessKey: 'secret' },
      ...options,
    },
    { clock: systemClock },
  );
  onTestFinished(() => provider.close());
  return { provider, stub };
}

function sesError(name: string, message = 'no', status = 400): StubAnswer {
  return { status, headers: { 'x-amzn-errortype': name }, body: { message } };
}

const OK: StubAnswer = { status: 200, body: { MessageId: '0100018c' } };

describe('an email to SES', () => {
  test('accepted → sent with the id SES gave, our message as it is, to the envelope only', async () => {
    const { provider, stub } = await stubbed([OK], { configurationSet: 'main' });
    const email = outgoingEmail({ bcc: [{ address: 'hidden@bücher.example' }], subject: 'Grüße' });
    expect(await provider.send(email, attemptContext())).toMatchObject({
      kind: 'sent',
      providerMessageId: '0100018c',
    });
    const [request] = stub.requests;
    expect(request).toMatchObject({ method: 'POST', path: '/v2/email/outbound-emails' });
    const body = JSON.parse(request!.body);
    expect(body.Destination.ToAddresses).toEqual(['reader@example.net', 'hidden@xn--bcher-kva.example']);
    expect(body.ConfigurationSetName).toBe('main');
    const parsed = await simpleParser(Buffer.from(body.Content.Raw.Data, 'base64'));
    expect(parsed).toMatchObject({ subject: 'Grüße', messageId: email.messageId });
    expect(Buffer.from(body.Content.Raw.Data, 'base64').toString()).not.toContain('hidden');
  });

  test('an error → asked once: the SDK does not retry by itself', async () => {
    const { provider, stub } = await stubbed([sesError('ServiceUnavailable', 'busy', 503)]);
    await provider.send(outgoingEmail(), attemptContext());
    expect(stub.requests).toHaveLength(1);
  });

  test('an address beyond ASCII → rejected without a request', async () => {
    const { provider, stub } = await stubbed([OK]);
    const email = outgoingEmail({ to: [{ address: 'jürgen@example.net' }] });
    expect(await provider.send(email, attemptContext())).toMatchObject({
      kind: 'rejected',
      code: 'SMTPUTF8_UNSUPPORTED',
    });
    expect(stub.requests).toHaveLength(0);
  });
});

describe('errors on the wire', () => {
  test.each([
    ['MessageRejected', 'Email address is not verified', 'rejected', 'SES_MESSAGE_REJECTED'],
    ['TooManyRequestsException', 'Maximum sending rate exceeded.', 'deferred', 'SES_MAX_SEND_RATE_EXCEEDED'],
    ['TooManyRequestsException', 'slow down', 'deferred', 'SES_THROTTLING'],
    ['SendingPausedException', 'paused', 'misconfigured', 'SES_ACCOUNT_SENDING_PAUSED'],
    ['AccountSuspendedException', 'gone', 'misconfigured', 'SES_ACCOUNT_SUSPENDED'],
    ['NotFoundException', 'no set', 'misconfigured', 'SES_CONFIGURATION_SET_DOES_NOT_EXIST'],
    ['BadRequestException', 'what', 'rejected', 'SES_BAD_REQUEST'],
    ['AccessDeniedException', 'you may not', 'misconfigured', 'SES_ACCESS_DENIED'],
    ['SomethingNewException', 'eh', 'deferred', 'SES_SOMETHING_NEW'],
  ])('%s (%s) → %s %s', async (name, message, kind, code) => {
    const { provider } = await stubbed([sesError(name, message)]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind,
      code,
      message,
      trace: { stage: 'reply', responseCode: 400 },
    });
  });

  test("the day's quota is spent → deferred for the account, uncounted, later", async () => {
    const { provider } = await stubbed([sesError('LimitExceededException', 'Daily message quota exceeded.')]);
    const before = systemClock.now();
    const outcome = await provider.send(outgoingEmail(), attemptContext());
    expect(outcome).toMatchObject({
      kind: 'deferred',
      scope: 'account',
      code: 'SES_DAILY_QUOTA_EXCEEDED',
      category: 'QUOTA_ERROR',
      uncounted: true,
    });
    expect(outcome.kind === 'deferred' && outcome.retryAt! - before).toBeGreaterThanOrEqual(15 * 60_000);
  });

  test.each([
    ['502 of a gateway', { status: 502, body: '<html>bad gateway</html>' }, 'SES_HTTP_502'],
    ['200 without an id', { status: 200, body: {} }, 'SES_BROKEN_ANSWER'],
    ['200 that is no JSON', { status: 200, body: 'thanks' }, 'SES_BROKEN_ANSWER'],
    ['connection cut after the request', cut, 'NETWORK_ERROR'],
    ['200 that breaks off', truncated(200, '{"Mess'), 'SES_BROKEN_ANSWER'],
  ] satisfies [string, StubAnswer, string][])('%s → unknown', async (_case, answer, code) => {
    const { provider } = await stubbed([answer]);
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({ kind: 'unknown', code });
  });

  test('no answer in its time → unknown SES_TIMEOUT', async () => {
    const { provider } = await stubbed([silence], { timeoutMs: 80 });
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'unknown',
      code: 'SES_TIMEOUT',
      category: 'TIMEOUT_ERROR',
      trace: { stage: 'request' },
    });
  });

  test('nobody listens → deferred NETWORK_ERROR', async () => {
    const { provider, stub } = await stubbed([OK]);
    await stub.stop();
    expect(await provider.send(outgoingEmail(), attemptContext())).toMatchObject({
      kind: 'deferred',
      code: 'NETWORK_ERROR',
      category: 'TRANSIENT_ERROR',
    });
  });
});

describe('lease and stop', () => {
  test('the time is over before the request → deferred SES_TIMEOUT, nothing sent', async () => {
    const { provider, stub } = await stubbed([OK]);
    const attempt = attemptContext({ sendDeadlineAt: systemClock.now() - 1 });
    expect(await provider.send(outgoingEmail(), attempt)).toMatchObject({
      kind: 'deferred',
      code: 'SES_TIMEOUT',
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

  test('mayDeliver → asked after the request was signed, once; a no sends nothing', async () => {
    const { provider, stub } = await stubbed([OK]);
    let asked = 0;
    const mayDeliver = () => {
      asked += 1;
      return false;
    };
    expect(await provider.send(outgoingEmail(), attemptContext({ mayDeliver }))).toMatchObject({
      kind: 'deferred',
      code: 'LEASE_LOST',
      uncounted: true,
    });
    expect(asked).toBe(1);
    expect(stub.requests).toHaveLength(0);
  });
});

describe('the account', () => {
  const account = (parts: object = {}): StubAnswer => ({
    status: 200,
    body: {
      SendingEnabled: true,
      ProductionAccessEnabled: true,
      SendQuota: { MaxSendRate: 14, Max24HourSend: 50_000, SentLast24Hours: 12 },
      ...parts,
    },
  });

  test('testConnection → ready with the rate, or what is wrong', async () => {
    const good = await stubbed([account()]);
    expect(await good.provider.testConnection()).toEqual({
      ok: true,
      message: 'SES is ready, 14 emails a second',
    });
    const paused = await stubbed([account({ SendingEnabled: false })]);
    expect(await paused.provider.testConnection()).toMatchObject({ ok: false });
    const denied = await stubbed([sesError('AccessDeniedException', 'you may not', 403)]);
    expect(await denied.provider.testConnection()).toEqual({
      ok: false,
      message: 'SES: AccessDeniedException: you may not',
    });
  });

  test('sendQuota → the numbers a route can keep to; -1 is no limit', async () => {
    const limited = await stubbed([account()]);
    expect(await limited.provider.sendQuota()).toEqual({ perSecond: 14, perDay: 50_000, sentLastDay: 12 });
    const free = await stubbed([
      account({ SendQuota: { MaxSendRate: 14, Max24HourSend: -1, SentLast24Hours: 0 } }),
    ]);
    expect(await free.provider.sendQuota()).toMatchObject({ perDay: null });
  });
});

test('the SDK is not installed → INVALID_CONFIG that says what to install', () => {
  const missing = () => {
    throw new Error('Cannot find module');
  };
  expect(() => checkSdkInstalled(missing)).toThrow(
    expect.objectContaining({
      code: 'INVALID_CONFIG',
      message: expect.stringContaining('npm install @aws-sdk/client-sesv2'),
    }),
  );
});
