/**
 * An error as Resend's clients read it: `{ statusCode, message, name }`, with the names and statuses of Resend. What
 * the caller did wrong is told in full, in the field names of this API; of a fault on our side only the table's
 * sentence leaves the process.
 */
import type { Caller } from '../../../access/index.js';
import type { ErrorCode, PostriderError } from '../../../kernel/index.js';
import { rateLimitHeaders } from '../rate-limit-headers.js';

export interface Circumstances {
  /** Undefined where the request was refused before anyone was known. */
  caller: Caller | undefined;
  /** Whether a key was presented at all. */
  hasKey: boolean;
}

export function resendError(error: PostriderError, circumstances: Circumstances): Response {
  const [statusCode, name] = nameOf(error, circumstances);
  const message = messageFor(name, error);
  const headers: Record<string, string> = { 'Content-Type': 'application/json' };
  const retryAfter = error.retryAfterSeconds ?? (error.retryable && statusCode !== 500 ? 1 : undefined);
  if (retryAfter !== undefined) headers['Retry-After'] = String(Math.max(0, Math.ceil(retryAfter)));
  if (error.rateLimit) Object.assign(headers, rateLimitHeaders(error.rateLimit, retryAfter));
  return new Response(JSON.stringify({ statusCode, message, name }), { status: statusCode, headers });
}

export const isResendPath = (path: string): boolean => path === '/resend' || path.startsWith('/resend/');

type Named = readonly [status: number, name: string];

const NAMES: Partial<Record<ErrorCode, Named>> = {
  COMPANY_NOT_ALLOWED: [403, 'invalid_permission'],
  TENANT_DISABLED: [403, 'suspended_api_key'],
  SENDER_NOT_ALLOWED: [403, 'validation_error'],
  RECIPIENT_NOT_ALLOWED: [403, 'validation_error'],
  INVALID_JSON: [400, 'validation_error'],
  UNSUPPORTED_MEDIA_TYPE: [400, 'validation_error'],
  METHOD_NOT_ALLOWED: [405, 'method_not_allowed'],
  IDEMPOTENCY_CONFLICT: [409, 'invalid_idempotent_request'],
  IDEMPOTENCY_IN_PROGRESS: [409, 'concurrent_idempotent_requests'],
  RATE_LIMITED: [429, 'rate_limit_exceeded'],
  TOO_MANY_TRIES: [429, 'rate_limit_exceeded'],
  TOO_MANY_LARGE_BODIES: [503, 'service_unavailable'],
  TOO_MANY_CONNECTIONS: [503, 'service_unavailable'],
  BODY_TOO_SLOW: [408, 'validation_error'],
  STORE_UNAVAILABLE: [503, 'service_unavailable'],
  STORE_BUSY: [503, 'service_unavailable'],
  STOPPED: [503, 'service_unavailable'],
};

function nameOf(error: PostriderError, { caller, hasKey }: Circumstances): Named {
  if (error.code === 'UNAUTHORIZED') return hasKey ? [403, 'invalid_api_key'] : [401, 'missing_api_key'];
  if (error.code === 'FORBIDDEN')
    return caller?.kind === 'key' ? [401, 'restricted_api_key'] : [403, 'invalid_permission'];
  if (error.code === 'QUOTA_EXCEEDED')
    return [429, isMonthly(error) ? 'monthly_quota_exceeded' : 'daily_quota_exceeded'];
  const named = NAMES[error.code];
  if (named) return named;
  if (error.field === 'Idempotency-Key') return [400, 'invalid_idempotency_key'];
  if (error.status === 404) return [404, 'not_found'];
  if (error.status >= 500) return [500, 'application_error'];
  return [422, invalidName(error)];
}

function invalidName({ field = '', code, message }: PostriderError): string {
  const last = field.replace(/^\[\d+\]\.?/, '');
  if (last.startsWith('attachments')) return 'invalid_attachment';
  if (message.endsWith('is missing')) return 'missing_required_field';
  if (last.startsWith('from') && code === 'INVALID_EMAIL') return 'invalid_from_address';
  return QUERY_FIELDS.has(last) ? 'invalid_parameter' : 'validation_error';
}

const QUERY_FIELDS = new Set(['limit', 'after', 'before', 'origin', 'start_date', 'end_date', 'metrics']);

/** A reset further away than a day is not that of the day. */
function isMonthly({ retryAfterSeconds }: PostriderError): boolean {
  return retryAfterSeconds !== undefined && retryAfterSeconds > 86_400;
}

const SAID: Record<string, string> = {
  missing_api_key: 'Missing API key in the authorization header.',
  invalid_api_key: 'API key is invalid.',
  restricted_api_key: 'This API key is restricted to only send emails.',
};

const FIELD_NAMES: Record<string, string> = {
  replyTo: 'reply_to',
  scheduledAt: 'scheduled_at',
  contentType: 'content_type',
  contentId: 'content_id',
  firstName: 'first_name',
  lastName: 'last_name',
};

function messageFor(name: string, error: PostriderError): string {
  const said = SAID[name];
  if (said !== undefined) return said;
  if (!error.isShown) return error.help;
  const inTheirWords = (text: string) =>
    text.replace(
      /\b(?:replyTo|scheduledAt|contentType|contentId|firstName|lastName)\b/g,
      (word) => FIELD_NAMES[word]!,
    );
  if (name === 'missing_required_field' && error.field !== undefined)
    return `Missing \`${inTheirWords(error.field)}\` field.`;
  return inTheirWords(error.message);
}
