import { expect, test } from 'vitest';
import { classifySesError } from './classify-ses-error.js';

const classify = (name: string, message = '') => classifySesError({ name, message });

test.each([
  ['MessageRejected', 'SES_MESSAGE_REJECTED', 'PERMANENT_ERROR', 'rejected'],
  ['MailFromDomainNotVerified', 'SES_MAIL_FROM_DOMAIN_NOT_VERIFIED', 'CONFIGURATION_ERROR', 'misconfigured'],
  [
    'ConfigurationSetDoesNotExist',
    'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
    'CONFIGURATION_ERROR',
    'misconfigured',
  ],
  ['AccountSendingPausedException', 'SES_ACCOUNT_SENDING_PAUSED', 'PERMANENT_ERROR', 'misconfigured'],
  ['Throttling', 'SES_THROTTLING', 'QUOTA_ERROR', 'deferred'],
  ['MaxSendRateExceeded', 'SES_MAX_SEND_RATE_EXCEEDED', 'QUOTA_ERROR', 'deferred'],
  ['DailyQuotaExceeded', 'SES_DAILY_QUOTA_EXCEEDED', 'QUOTA_ERROR', 'deferred'],
  ['ServiceUnavailable', 'SES_SERVICE_UNAVAILABLE', 'TRANSIENT_ERROR', 'deferred'],
  ['RequestTimeout', 'SES_TIMEOUT', 'TIMEOUT_ERROR', 'deferred'],
  ['NetworkingError', 'NETWORK_ERROR', 'TRANSIENT_ERROR', 'deferred'],
])("the source's %s → %s, %s, %s", (name, code, category, kind) => {
  expect(classify(name)).toMatchObject({ code, category, kind });
});

test.each([
  ['TooManyRequestsException', 'Throttling'],
  ['ThrottlingException', 'Throttling'],
  ['SendingPausedException', 'AccountSendingPausedException'],
  ['LimitExceededException', 'DailyQuotaExceeded'],
  ['NotFoundException', 'ConfigurationSetDoesNotExist'],
  ['MailFromDomainNotVerifiedException', 'MailFromDomainNotVerified'],
  ['InternalServiceErrorException', 'ServiceUnavailable'],
])('%s of the second API → the same as %s', (second, first) => {
  expect(classify(second)).toBe(classify(first));
});

test.each([
  ['Throttling', 'Daily message quota exceeded.', 'SES_DAILY_QUOTA_EXCEEDED'],
  ['TooManyRequestsException', 'Daily sending quota exceeded', 'SES_DAILY_QUOTA_EXCEEDED'],
  ['LimitExceededException', 'Maximum sending rate exceeded.', 'SES_MAX_SEND_RATE_EXCEEDED'],
  ['MessageRejected', 'Daily message quota exceeded, says the spam filter', 'SES_MESSAGE_REJECTED'],
])('%s: %s → %s', (name, message, code) => {
  expect(classify(name, message).code).toBe(code);
});

test.each([
  ['the sender', 'me@example.com', 'misconfigured'],
  ['its domain', 'you@example.net, Example.com', 'misconfigured'],
  ['a recipient', 'you@example.net', 'rejected'],
  ['another with the same end', 'notme@example.com', 'rejected'],
])('MessageRejected, not verified is %s → %s', (_case, listed, kind) => {
  const message = `Email address is not verified. The following identities failed the check in region EU-NORTH-1: ${listed}`;
  expect(classifySesError({ name: 'MessageRejected', message, from: 'me@example.com' })).toMatchObject({
    kind,
    scope: 'message',
    code: 'SES_MESSAGE_REJECTED',
  });
});

test('a name in no row → deferred, unclassified, under a code of its own', () => {
  expect(classify('__proto__')).toMatchObject({ unclassified: true });
  expect(classify('BrandNewException')).toEqual({
    kind: 'deferred',
    scope: 'route',
    code: 'SES_BRAND_NEW',
    category: 'UNKNOWN_ERROR',
    unclassified: true,
  });
});
