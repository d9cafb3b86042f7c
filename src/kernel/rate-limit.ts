/** How many emails of a type one recipient may get, and in what time. */
export interface RateLimit {
  limit: number;
  /** null counts for ever: once per person. */
  windowSeconds: number | null;
}

/** How many may still come before a limit is met, and when counting begins anew. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  /** null: never. */
  resetAt: Date | null;
}
