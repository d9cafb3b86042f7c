/** How many of something may still come before it is limited, and when counting begins anew. */
export interface RateLimitState {
  limit: number;
  remaining: number;
  /** null: never. */
  resetAt: Date | null;
}
