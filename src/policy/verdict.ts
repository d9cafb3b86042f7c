import { type ErrorCode, PostriderError, type RateLimitState } from '../kernel/index.js';

/**
 * What a rule says about emails that are complete and not yet written: all may be accepted, or the first one that may
 * not and why. A value, not an error: whoever asked in a transaction of its own goes on with it.
 */
export type Verdict = Acceptance | Refusal;

export interface Acceptance {
  accept: true;
  /** By position: how much is left of the limit an email was counted against; a missing one has no limit. */
  rateLimits?: ReadonlyArray<RateLimitState | undefined> | undefined;
}

export interface Refusal {
  accept: false;
  code: ErrorCode;
  message: string;
  /** Which of the emails. */
  index: number;
  field?: string;
  rateLimit?: RateLimitState;
  retryAfterSeconds?: number;
}

/** The refusal as the error a caller sees; in a batch the field says which email it was. */
export function refusalError(refusal: Refusal, inBatch: boolean): PostriderError {
  const { code, message, index, field, rateLimit, retryAfterSeconds } = refusal;
  const place = inBatch ? [`[${index}]`] : [];
  const path = [...place, ...(field ? [field] : [])].join('.');
  return new PostriderError(code, message, {
    ...(path && { field: path }),
    ...(rateLimit && { rateLimit }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
  });
}
