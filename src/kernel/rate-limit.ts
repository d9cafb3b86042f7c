/** How many emails of a type one recipient may get, and in what time. */
export interface RateLimit {
  limit: number;
  /** null counts for ever: once per person. */
  windowSeconds: number | null;
  /** Whom it counts: the user an email names with userId, else, and by default, each address it goes to. */
  countBy?: 'userId' | 'address';
}

/** Every email counted is a row of its own, so there is an end to it. */
export const MAX_RATE_LIMIT = 1000;
export const MAX_WINDOW_SECONDS = 366 * 86_400;

/** How many may still come before a limit is met, and when counting begins anew. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  /** null: never. */
  resetAt: Date | null;
}
