/**
 * What machines ask: alive, ready, metrics. Health needs no key, so a caller without one learns which
 * checks fail but not the messages, which may name hosts.
 */
import { Hono } from 'hono';
import { type Logger, messageOf } from '../../kernel/index.js';
import type { HttpRooms, Readiness } from './http-rooms.js';
import { METRICS_QUERY } from './list-queries.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';

export function healthRoutes(rooms: HttpRooms, logger: Logger): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/health/live', (c) => c.json({ ok: true }));

  routes.get('/health/ready', async (c) => {
    const readiness = await rooms.ready().catch((error: unknown): Readiness => {
      logger.error({ requestId: c.get('requestId'), error: messageOf(error) }, 'readiness check threw');
      return { ok: false, checks: { readiness: { ok: false, message: messageOf(error) } } };
    });
    const shown = c.get('caller').kind === 'root' ? readiness : withoutMessages(readiness);
    return readiness.ok ? c.json(shown) : c.json(shown, 503, { 'Retry-After': '1' });
  });

  routes.get('/metrics', async (c) => {
    const { contentType, body } = await rooms.metrics(readQuery(c, METRICS_QUERY).region);
    return c.body(body, 200, { 'Content-Type': contentType });
  });

  return routes;
}

function withoutMessages({ ok, checks }: Readiness): Readiness {
  const bare = Object.entries(checks).map(([name, check]) => [name, { ok: check.ok }] as const);
  return { ok, checks: Object.fromEntries(bare) };
}
