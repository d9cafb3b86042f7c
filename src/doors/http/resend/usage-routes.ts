/** How much a company has used, as Resend's clients read it. What has no limit here, or does not exist, says null or 0. */
import { Hono } from 'hono';
import type { PeriodUsage } from '../../../views/index.js';
import type { HttpEnv } from '../request-context.js';
import { callerCompany } from './caller-company.js';
import type { ResendRouteOptions } from './email-routes.js';

export function resendUsageRoutes({ rooms }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/usage', async (c) => {
    const companyId = callerCompany(c, rooms.defaultCompany);
    const usage = await rooms.emails.usage(companyId);
    const domains = await rooms.domains.list(companyId);
    const unlimited = (used: number) => ({ used, limit: null });
    return c.json({
      object: 'usage',
      emails: { daily: presented(usage.day), monthly: presented(usage.month) },
      contacts: unlimited(usage.contacts),
      segments: unlimited(usage.segments),
      broadcasts: unlimited(usage.broadcasts),
      ai_credits: { ...unlimited(0), next_increase_at: null },
      automation_runs: { ...unlimited(0), resets_at: usage.month.resetsAt },
      domains: unlimited(domains.length),
      rate_limit: { limit: rooms.requestsPerSecond === 0 ? null : rooms.requestsPerSecond, duration: '1s' },
    });
  });

  return routes;
}

function presented({ used, sent, limit, resetsAt }: PeriodUsage): object {
  return { used, limit, sent, received: 0, resets_at: resetsAt };
}
