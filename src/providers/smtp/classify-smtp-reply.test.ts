import { describe, expect, test } from 'vitest';
import { classifyNetworkError } from './classify-network-error.js';
import { classifySmtpReply } from './classify-smtp-reply.js';
import { parseQueueId } from './parse-queue-id.js';
import { parseRetryHint } from './parse-retry-hint.js';

describe('SMTP replies', () => {
  test.each([450, 451, 452, 454, 499])('%i → deferred', (code) => {
    expect(classifySmtpReply(code, 'rcpt')).toEqual({
      kind: 'deferred',
      scope: 'recipient',
      code: `SMTP_${code}`,
      category: 'TRANSIENT_ERROR',
    });
  });

  test.each(['greeting', 'mail', 'rcpt', 'reply'] as const)(
    '421 at %s → deferred, about the route',
    (stage) => {
      expect(classifySmtpReply(421, stage)).toMatchObject({
        kind: 'deferred',
        scope: 'route',
        code: 'SMTP_421',
      });
    },
  );

  test.each([550, 552, 553, 554, 501, 599])('%i → rejected', (code) => {
    expect(classifySmtpReply(code, 'rcpt')).toMatchObject({ kind: 'rejected', category: 'PERMANENT_ERROR' });
    expect(classifySmtpReply(code, 'reply')).toMatchObject({ kind: 'rejected', scope: 'message' });
  });

  test.each([530, 535, 538, 534, 504])('%i at AUTH → misconfigured, about the account', (code) => {
    expect(classifySmtpReply(code, 'auth')).toMatchObject({ kind: 'misconfigured', scope: 'account' });
  });

  test('454 at AUTH → deferred: the server cannot tell at the moment', () => {
    expect(classifySmtpReply(454, 'auth')).toMatchObject({ kind: 'deferred', scope: 'account' });
  });

  test('530 to MAIL → misconfigured: it wants authentication', () => {
    expect(classifySmtpReply(530, 'mail')).toMatchObject({ kind: 'misconfigured', scope: 'account' });
  });

  test('a positive code where none fits → deferred, unclassified', () => {
    expect(classifySmtpReply(250, 'data')).toMatchObject({ kind: 'deferred', unclassified: true });
  });
});

describe('network errors', () => {
  test.each([
    'ECONNREFUSED',
    'ESOCKETNOTFOUND',
    'SOCKET_CLOSED',
    'ECONNRESET',
    'EPIPE',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ENOTFOUND',
    'EAI_AGAIN',
  ])('%s → deferred, transient', (code) => {
    expect(classifyNetworkError(code)).toEqual({ kind: 'deferred', category: 'TRANSIENT_ERROR' });
  });

  test('ETIMEDOUT → deferred, timeout', () => {
    expect(classifyNetworkError('ETIMEDOUT')).toEqual({ kind: 'deferred', category: 'TIMEOUT_ERROR' });
  });

  test.each(['CERT_HAS_EXPIRED', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s → misconfigured',
    (code) => {
      expect(classifyNetworkError(code)).toMatchObject({ kind: 'misconfigured' });
    },
  );

  test('a code in no row → deferred, unclassified', () => {
    expect(classifyNetworkError('EWEIRD')).toMatchObject({ kind: 'deferred', unclassified: true });
  });
});

test.each([
  ['4.7.1 Greylisted, try again in 300 seconds', 300_000],
  ['please retry after 5 minutes', 300_000],
  ['Greylisting in action, wait 00:04:59', 299_000],
  ['mailbox busy', undefined],
  ['connection from 10:00:00 refused', undefined],
  ['come back in 999999 hours', undefined],
])('%s → the wait asked for', (text, ms) => {
  expect(parseRetryHint(text)).toBe(ms);
});

test.each([
  ['2.0.0 Ok: queued as 4XyZ12abc', '4XyZ12abc'],
  ['OK id=1rABcd-0005xY-Gh', '1rABcd-0005xY-Gh'],
  ['Ok 0102018c2f0e-5c1f-4c3a-000000', '0102018c2f0e-5c1f-4c3a-000000'],
  ['2.0.0 a0c19296 Message accepted for delivery', 'a0c19296'],
  ['OK: message queued', undefined],
  ['2.0.0 Ok', undefined],
])('%s → the id the server gave', (text, id) => {
  expect(parseQueueId(text)).toBe(id);
});
