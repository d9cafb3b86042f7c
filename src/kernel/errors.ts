import { ERROR_TABLE, type ErrorCode, type ErrorRow } from './error-table.js';
import type { RateLimitState } from './rate-limit.js';

/**
 * The one error class. What is expected is returned as a value; what is not is thrown as this,
 * with a code from the table that decides HTTP status, retryability and the sentence of help.
 */
export class PostriderError extends Error {
  readonly code: ErrorCode;
  /** The input field at fault, as a path the caller wrote: `to`, `attachments[0].filename`. */
  readonly field: string | undefined;
  readonly status: number;
  readonly retryable: boolean;
  readonly help: string;
  /** Whether the message may leave the process. */
  readonly isShown: boolean;
  /** How long to wait before trying again, for 429 and 503. */
  readonly retryAfterSeconds: number | undefined;
  /** For RATE_LIMITED and QUOTA_EXCEEDED: the limit that was met. */
  readonly rateLimit: RateLimitState | undefined;

  constructor(code: ErrorCode, message: string, options: ErrorDetails = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'PostriderError';
    this.code = code;
    this.field = options.field;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.rateLimit = options.rateLimit;
    const row: ErrorRow = ERROR_TABLE[code];
    this.status = row.status;
    // A limit that never begins anew does not pass by itself.
    this.retryable = row.retryable && options.rateLimit?.resetAt !== null;
    this.help = row.help;
    this.isShown = row.status < 500 || row.isShown === true;
  }
}

export interface ErrorDetails {
  field?: string;
  cause?: unknown;
  retryAfterSeconds?: number;
  rateLimit?: RateLimitState;
}

export function isPostriderError(error: unknown): error is PostriderError {
  return error instanceof PostriderError;
}

/** The message of anything thrown, without a stack, safe for logs. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
