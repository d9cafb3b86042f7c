/** A limit as the headers clients look for; what never begins anew has no RateLimit-Reset. */
export function rateLimitHeaders(
  { limit, remaining }: { limit: number; remaining: number },
  resetInSeconds: number | undefined,
): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    ...(resetInSeconds !== undefined && {
      'RateLimit-Reset': String(Math.max(0, Math.ceil(resetInSeconds))),
    }),
  };
}
