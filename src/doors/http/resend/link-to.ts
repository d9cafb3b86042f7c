import type { Context } from 'hono';
import type { HttpEnv } from '../request-context.js';

/** A link that needs no key: it says in which region to look, since whoever follows it has none. */
export function linkTo(c: Context<HttpEnv>, path: string, publicUrl: string | null): string {
  const url = new URL(`/resend/${path}`, publicUrl ?? c.req.url);
  const region = c.get('region');
  if (region !== undefined) url.searchParams.set('region', region);
  return url.href;
}
