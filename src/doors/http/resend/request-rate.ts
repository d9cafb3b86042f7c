/**
 * How many requests a company may make in a second in this process, told with every answer in the headers Resend's
 * clients look for. One too many is 429 with Retry-After. Where an answer tells of the limit of a type of email, that
 * one is told instead.
 */
import type { MiddlewareHandler } from 'hono';
import { companyOf } from '../../../access/index.js';
import { type Clock, PostriderError } from '../../../kernel/index.js';
import type { HttpEnv } from '../request-context.js';

export function requestRate(options: {
  perSecond: number;
  defaultCompany: string;
  clock: Clock;
}): MiddlewareHandler<HttpEnv> {
  const { perSecond, clock } = options;
  const used = new Map<string, number>();
  let second = Number.NEGATIVE_INFINITY;

  function count(company: string): number {
    const now = Math.floor(clock.monotonic() / 1000);
    if (now !== second) used.clear();
    second = now;
    const requests = (used.get(company) ?? 0) + 1;
    used.set(company, requests);
    return requests;
  }

  return async (c, next) => {
    const caller = c.get('caller');
    if (caller === undefined || caller.kind === 'anyone') return next();
    const requests = count(companyOf(caller) ?? options.defaultCompany);
    if (requests > perSecond)
      throw new PostriderError('RATE_LIMITED', 'Too many requests. You can only make so many a second.', {
        retryAfterSeconds: 1,
        rateLimit: { limit: perSecond, remaining: 0, resetAt: new Date(clock.now() + 1000) },
      });
    await next();
    if (c.res.headers.has('RateLimit-Limit')) return;
    c.header('RateLimit-Limit', String(perSecond));
    c.header('RateLimit-Policy', `${perSecond};w=1`);
    c.header('RateLimit-Remaining', String(perSecond - requests));
    c.header('RateLimit-Reset', '1');
  };
}
