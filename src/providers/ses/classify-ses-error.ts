import type { ErrorCategory, FailureScope } from '../provider.js';

/**
 * What an error of SES means: the names of the first API as the sources list them, and those the
 * second one really uses for the same things. An error in no row is unclassified and left to the
 * retry preset.
 */
export function classifySesError({ name, message, from }: SesError): SesVerdict {
  const bare = name.replace(/Exception$/, '');
  const row = TABLE.get(name) ?? TABLE.get(bare);
  // Both APIs answer the rate and the day's quota under one name and differ only in the sentence.
  if (row === THROTTLED || row === DAILY_QUOTA) {
    if (/daily .{0,99}quota/i.test(message)) return DAILY_QUOTA;
    if (/maximum send(?:ing)? rate/i.test(message)) return SEND_RATE;
  }
  // The second API has no other name for a sender it does not know; in the sandbox it lists recipients too.
  if (row === REJECTED && /not verified/i.test(message) && from && namesIdentity(message, from))
    return SENDER;
  return row ?? { ...UNLISTED, code: `SES_${snake(bare)}` };
}

export interface SesError {
  name: string;
  message: string;
  /** The sender's address. */
  from?: string;
}

export interface SesVerdict {
  kind: 'deferred' | 'rejected' | 'misconfigured';
  scope: FailureScope;
  code: string;
  category: ErrorCategory;
  /** Costs no attempt, and is tried again after QUOTA_WAIT_MS. */
  quotaSpent?: true;
  unclassified?: true;
}

/** The quota is counted over the last 24 hours, so a part of it is free again before long. */
export const QUOTA_WAIT_MS = 15 * 60_000;

const THROTTLED: SesVerdict = row('deferred', 'route', 'SES_THROTTLING', 'QUOTA_ERROR');
const SEND_RATE: SesVerdict = row('deferred', 'route', 'SES_MAX_SEND_RATE_EXCEEDED', 'QUOTA_ERROR');
const DAILY_QUOTA: SesVerdict = {
  ...row('deferred', 'account', 'SES_DAILY_QUOTA_EXCEEDED', 'QUOTA_ERROR'),
  quotaSpent: true,
};
const UNAVAILABLE: SesVerdict = row('deferred', 'route', 'SES_SERVICE_UNAVAILABLE', 'TRANSIENT_ERROR');
const REJECTED: SesVerdict = row('rejected', 'message', 'SES_MESSAGE_REJECTED', 'PERMANENT_ERROR');
const SENDER: SesVerdict = row('misconfigured', 'message', 'SES_MESSAGE_REJECTED', 'PERMANENT_ERROR');
const PAUSED: SesVerdict = row('misconfigured', 'account', 'SES_ACCOUNT_SENDING_PAUSED', 'PERMANENT_ERROR');
const NO_CONFIGURATION_SET: SesVerdict = row(
  'misconfigured',
  'route',
  'SES_CONFIGURATION_SET_DOES_NOT_EXIST',
  'CONFIGURATION_ERROR',
);
const CREDENTIALS: SesVerdict = row('misconfigured', 'account', 'SES_CREDENTIALS', 'CONFIGURATION_ERROR');
const DENIED: SesVerdict = row('misconfigured', 'account', 'SES_ACCESS_DENIED', 'CONFIGURATION_ERROR');
/** The SDK has learned the right time from this very answer; the next attempt uses it. */
const CLOCK: SesVerdict = row('deferred', 'route', 'SES_CLOCK_SKEW', 'TRANSIENT_ERROR');
const UNLISTED = { kind: 'deferred', scope: 'route', category: 'UNKNOWN_ERROR', unclassified: true } as const;

const TABLE = new Map<string, SesVerdict>(
  Object.entries({
    MessageRejected: REJECTED,
    MailFromDomainNotVerified: row(
      'misconfigured',
      'message',
      'SES_MAIL_FROM_DOMAIN_NOT_VERIFIED',
      'CONFIGURATION_ERROR',
    ),
    ConfigurationSetDoesNotExist: NO_CONFIGURATION_SET,
    NotFound: NO_CONFIGURATION_SET,
    AccountSendingPaused: PAUSED,
    ConfigurationSetSendingPaused: PAUSED,
    SendingPaused: PAUSED,
    AccountSuspended: row('misconfigured', 'account', 'SES_ACCOUNT_SUSPENDED', 'PERMANENT_ERROR'),
    BadRequest: row('rejected', 'message', 'SES_BAD_REQUEST', 'PERMANENT_ERROR'),
    InvalidParameterValue: row('rejected', 'message', 'SES_BAD_REQUEST', 'PERMANENT_ERROR'),
    Throttling: THROTTLED,
    Throttled: THROTTLED,
    TooManyRequests: THROTTLED,
    RequestLimitExceeded: THROTTLED,
    MaxSendRateExceeded: SEND_RATE,
    DailyQuotaExceeded: DAILY_QUOTA,
    LimitExceeded: DAILY_QUOTA,
    ServiceUnavailable: UNAVAILABLE,
    InternalFailure: UNAVAILABLE,
    InternalServerError: UNAVAILABLE,
    InternalServiceError: UNAVAILABLE,
    RequestTimeout: row('deferred', 'route', 'SES_TIMEOUT', 'TIMEOUT_ERROR'),
    NetworkingError: row('deferred', 'route', 'NETWORK_ERROR', 'TRANSIENT_ERROR'),
    AccessDenied: DENIED,
    NotAuthorized: DENIED,
    OptInRequired: DENIED,
    RegionMissing: row('misconfigured', 'route', 'SES_REGION_MISSING', 'CONFIGURATION_ERROR'),
    CredentialsProviderError: CREDENTIALS,
    UnrecognizedClient: CREDENTIALS,
    InvalidClientTokenId: CREDENTIALS,
    MissingAuthenticationToken: CREDENTIALS,
    IncompleteSignature: CREDENTIALS,
    InvalidSignature: CREDENTIALS,
    SignatureDoesNotMatch: CREDENTIALS,
    ExpiredToken: CREDENTIALS,
    RequestExpired: CLOCK,
    RequestTimeTooSkewed: CLOCK,
  }),
);

function row(
  kind: SesVerdict['kind'],
  scope: FailureScope,
  code: string,
  category: ErrorCategory,
): SesVerdict {
  return { kind, scope, code, category };
}

/** Whether the identities that failed, which follow the colon, are those of this address. */
function namesIdentity(message: string, address: string): boolean {
  const listed = message.slice(message.lastIndexOf(':') + 1).toLowerCase();
  const words = listed.split(/[\s,<>]+/);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  return words.includes(address.toLowerCase()) || words.includes(domain.toLowerCase());
}

/** `SomethingNew` → `SOMETHING_NEW`, bounded. */
function snake(name: string): string {
  const words = name.replace(/[^A-Za-z0-9]+/g, '_').replace(/([a-z0-9])([A-Z])/g, '$1_$2');
  return words.toUpperCase().slice(0, 60) || 'UNKNOWN';
}
