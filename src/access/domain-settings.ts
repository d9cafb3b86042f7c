import { z } from 'zod';

/**
 * What Resend lets a tenant say of a domain, as far as it is so here anyway. Anything that would have to change how
 * emails go out is refused by its name: routes decide about that, and an option that does nothing would be a lie.
 */
export function domainSettings(region: string) {
  const by = (what: string) => `${what}; leave it out`;
  const routes = by('is decided by the routes, not by a domain');
  const untracked = by('is not something Postrider does itself; a provider may');
  return {
    region: z.literal(region, by(`must be ${region}, which is where this store is`)).optional(),
    tls: z.literal('opportunistic', routes).optional(),
    capabilities: z
      .object({
        sending: z.literal('enabled', routes).optional(),
        receiving: z.literal('disabled', by('is not possible: there are no inboxes here')).optional(),
      })
      .optional(),
    open_tracking: z.literal(false, untracked).optional(),
    click_tracking: z.literal(false, untracked).optional(),
    tracking_subdomain: z.null(untracked).optional(),
    custom_return_path: z.null(routes).optional(),
  };
}
