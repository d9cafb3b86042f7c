import type { RateLimitState } from '../kernel/index.js';
import type { NewEmail } from '../outbox/index.js';

/** What a caller hears of an email that was accepted. */
export interface Accepted {
  /** False where nobody it is for may be written to: then it is in the log and nowhere else. */
  queued: boolean;
  emailId: string;
  requestId: string;
  status: 'pending' | 'scheduled' | 'suppressed';
  /** What is left of the limit on this type for its recipient; absent where there is none. */
  rateLimit?: Omit<RateLimitState, 'resetAt'> & { resetAt: string | null };
}

export function answerOf(email: NewEmail, now: number, rateLimit: RateLimitState | undefined): Accepted {
  const waits = email.scheduledAt !== null && email.scheduledAt.getTime() > now;
  return {
    queued: email.suppressed === null,
    emailId: email.id,
    requestId: email.requestId,
    status: email.suppressed ? 'suppressed' : waits ? 'scheduled' : 'pending',
    ...(rateLimit && { rateLimit: { ...rateLimit, resetAt: rateLimit.resetAt?.toISOString() ?? null } }),
  };
}
