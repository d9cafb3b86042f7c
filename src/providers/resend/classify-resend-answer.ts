import type { ErrorCategory, FailureScope } from '../provider.js';

/**
 * What a refusing answer of Resend means, by the name in its body and else by its status. `unknown`
 * stands for answers after which the email may still go out; the key makes repeating them safe.
 */
export function classifyResendAnswer(status: number, name: string | undefined, message = ''): ResendVerdict {
  // It has no name of its own, and its status is also that of a refused key.
  if (status === 403 && SENDER_UNKNOWN.test(message)) return SENDER;
  const known = name === undefined ? undefined : BY_NAME.get(name);
  if (known) return { ...known, code: codeOf(name!) };
  const row = BY_STATUS.find(({ from, to }) => status >= from && status <= to);
  const code = name === undefined ? `RESEND_HTTP_${status}` : codeOf(name);
  return row ? { ...row.verdict, code } : { ...UNCLASSIFIED, code };
}

export interface ResendVerdict {
  kind: 'deferred' | 'rejected' | 'misconfigured' | 'unknown';
  scope: FailureScope;
  code: string;
  category: ErrorCategory;
  /** Costs no attempt; tried again when the server says so, or after QUOTA_WAIT_MS. */
  quotaSpent?: true;
  unclassified?: true;
}

/** A spent quota without a Retry-After is asked about again this often. */
export const QUOTA_WAIT_MS = 60 * 60_000;

type Row = Omit<ResendVerdict, 'code'>;

const REJECTED: Row = { kind: 'rejected', scope: 'message', category: 'PERMANENT_ERROR' };
const INVALID: Row = { kind: 'rejected', scope: 'message', category: 'VALIDATION_ERROR' };
const ACCOUNT: Row = { kind: 'misconfigured', scope: 'account', category: 'CONFIGURATION_ERROR' };
const ROUTE: Row = { kind: 'misconfigured', scope: 'route', category: 'CONFIGURATION_ERROR' };
const RATE: Row = { kind: 'deferred', scope: 'route', category: 'QUOTA_ERROR' };
const QUOTA: Row = { kind: 'deferred', scope: 'account', category: 'QUOTA_ERROR', quotaSpent: true };
const BUSY: Row = { kind: 'deferred', scope: 'route', category: 'TRANSIENT_ERROR' };
/** Our own earlier request is still at work and may deliver: certain of nothing, safe to ask again. */
const UNDER_WAY: Row = { kind: 'unknown', scope: 'message', category: 'TRANSIENT_ERROR' };
const MAY_HAVE_WORKED: Row = { kind: 'unknown', scope: 'message', category: 'TRANSIENT_ERROR' };
const UNCLASSIFIED: Row = {
  kind: 'deferred',
  scope: 'route',
  category: 'UNKNOWN_ERROR',
  unclassified: true,
};

const SENDER_UNKNOWN = /\bdomain is not verified\b/i;
const SENDER: ResendVerdict = {
  kind: 'misconfigured',
  scope: 'message',
  code: 'RESEND_DOMAIN_NOT_VERIFIED',
  category: 'CONFIGURATION_ERROR',
};

/** `validation_error` is missing on purpose: its status says what it is about. */
const BY_NAME = new Map<string, Row>(
  Object.entries({
    missing_api_key: ACCOUNT,
    restricted_api_key: ACCOUNT,
    invalid_api_key: ACCOUNT,
    suspended_api_key: ACCOUNT,
    invalid_permission: ACCOUNT,
    invalid_access: ACCOUNT,
    invalid_region: ACCOUNT,
    email_above_quota: QUOTA,
    daily_quota_exceeded: QUOTA,
    monthly_quota_exceeded: QUOTA,
    rate_limit_exceeded: RATE,
    not_found: ROUTE,
    method_not_allowed: ROUTE,
    invalid_idempotent_request: REJECTED,
    invalid_idempotency_key: INVALID,
    concurrent_idempotent_requests: UNDER_WAY,
    resource_locked: BUSY,
    invalid_from_address: INVALID,
    invalid_attachment: INVALID,
    invalid_parameter: INVALID,
    missing_required_field: INVALID,
    missing_required_parameter: INVALID,
    security_error: REJECTED,
    service_unavailable: BUSY,
  }),
);

const BY_STATUS: { from: number; to: number; verdict: Row }[] = [
  { from: 300, to: 399, verdict: ROUTE },
  { from: 400, to: 400, verdict: INVALID },
  { from: 401, to: 401, verdict: ACCOUNT },
  // Also a trial account, which writes to its owner alone: nothing an email can mend.
  { from: 403, to: 403, verdict: ACCOUNT },
  { from: 404, to: 405, verdict: ROUTE },
  { from: 408, to: 408, verdict: BUSY },
  { from: 409, to: 409, verdict: UNDER_WAY },
  { from: 413, to: 413, verdict: REJECTED },
  { from: 422, to: 422, verdict: INVALID },
  { from: 429, to: 429, verdict: RATE },
  { from: 451, to: 451, verdict: REJECTED },
  { from: 503, to: 503, verdict: BUSY },
  { from: 500, to: 599, verdict: MAY_HAVE_WORKED },
];

function codeOf(name: string): string {
  return `RESEND_${name.toUpperCase()}`;
}
