/**
 * The routes about emails: send, look, follow, cancel. Each parses, calls one room and presents its answer.
 */
import { type Context, Hono } from 'hono';
import { companyOf, confineEmail } from '../../access/index.js';
import { type Clock, isUuid, PostriderError } from '../../kernel/index.js';
import type { AcceptedEmail, HttpRooms } from './http-rooms.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { readJsonBody } from './read-json-body.js';
import type { HttpEnv } from './request-context.js';

export function emailRoutes(rooms: HttpRooms, bodyLimitBytes: number, clock: Clock): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/v1/email/send', async (c) => {
    const idempotencyKey = idempotencyKeyOf(c);
    const input = await readJsonBody(c.req.raw, bodyLimitBytes);
    const accepted = await rooms.accept(confineEmail(c.get('caller'), input), {
      requestId: c.get('requestId'),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return c.json(accepted, 202, leftHeaders(accepted, clock));
  });

  routes.get('/v1/emails/:id', async (c) => {
    const id = emailIdOf(c);
    return c.json(found(await rooms.get(id, companyOf(c.get('caller'))), id));
  });

  routes.get('/v1/emails/:id/events', async (c) => {
    const id = emailIdOf(c);
    return c.json(found(await rooms.timeline(id, companyOf(c.get('caller'))), id));
  });

  routes.post('/v1/emails/:id/cancel', async (c) =>
    c.json(await rooms.cancel(emailIdOf(c), companyOf(c.get('caller')))),
  );

  return routes;
}

const PRINTABLE_ASCII = /^[\x20-\x7e]{1,255}$/;

function idempotencyKeyOf(c: Context): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined || PRINTABLE_ASCII.test(key)) return key;
  throw new PostriderError('INVALID_HEADER', 'Idempotency-Key is 1 to 255 printable ASCII characters.', {
    field: 'Idempotency-Key',
  });
}

export function emailIdOf(c: Context): string {
  const id = c.req.param('id') ?? '';
  if (!isUuid(id))
    throw new PostriderError('EMAIL_NOT_FOUND', 'That is not the id of an email.', { field: 'id' });
  return id.toLowerCase();
}

/** What is left of the limit on its type, where there is one. */
function leftHeaders({ rateLimit }: AcceptedEmail, clock: Clock): Record<string, string> {
  if (!rateLimit) return {};
  const resetAt = rateLimit.resetAt === null ? null : Date.parse(rateLimit.resetAt);
  return rateLimitHeaders(rateLimit, resetAt === null ? undefined : (resetAt - clock.now()) / 1000);
}

function found<T>(answer: T | null, id: string): T {
  if (answer === null)
    throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${id}.`, { field: 'id' });
  return answer;
}
