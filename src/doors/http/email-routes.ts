/**
 * The routes about emails: send one or many, look, follow, put off, cancel. Each parses, calls one room and presents its answer.
 */
import { type Context, Hono } from 'hono';
import { companyOf, confineEmail } from '../../access/index.js';
import { EMAIL_BATCH, EMAIL_FIELDS } from '../../intake/index.js';
import { type Clock, fields, needed, PostriderError } from '../../kernel/index.js';
import { readHeader } from './header-fields.js';
import type { AcceptedEmail, HttpRooms } from './http-rooms.js';
import { inPath } from './path-fields.js';
import { rateLimitHeaders } from './rate-limit-headers.js';
import { readAct } from './read-act.js';
import { readJsonBody } from './read-json-body.js';
import { type HttpEnv, requestIds } from './request-context.js';

export function emailRoutes(rooms: HttpRooms, clock: Clock): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.post('/v1/email/send', async (c) => {
    const idempotencyKey = idempotencyKeyOf(c);
    const input = await readJsonBody(c);
    const accepted = await rooms.accept(confineEmail(c.get('caller'), input), {
      ...requestIds(c),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return c.json(accepted, 202, leftHeaders(accepted, clock));
  });

  // The body is the list itself, so that a refusal names its place: [3].subject.
  routes.post('/v1/email/batch', async (c) => {
    const idempotencyKey = idempotencyKeyOf(c);
    const inputs = EMAIL_BATCH.read(await readJsonBody(c), '');
    const caller = c.get('caller');
    const emails = inputs.map((input, index) => confineEmail(caller, input, `[${index}].`));
    const accepted = await rooms.acceptBatch(emails, {
      ...requestIds(c),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return c.json({ emails: accepted }, 202);
  });

  routes.get('/v1/emails/:id', async (c) => {
    const id = emailIdOf(c);
    return c.json(found(await rooms.get(id, companyOf(c.get('caller'))), id));
  });

  routes.get('/v1/emails/:id/events', async (c) => {
    const id = emailIdOf(c);
    return c.json(found(await rooms.timeline(id, companyOf(c.get('caller'))), id));
  });

  routes.patch('/v1/emails/:id', async (c) => {
    const { scheduledAt } = await readAct(c, RESCHEDULE);
    const moved = rooms.reschedule(emailIdOf(c), scheduledAt.toISOString(), companyOf(c.get('caller')));
    return c.json(await moved);
  });

  routes.post('/v1/emails/:id/cancel', async (c) =>
    c.json(await rooms.cancel(emailIdOf(c), companyOf(c.get('caller')))),
  );

  return routes;
}

export const RESCHEDULE = fields({
  scheduledAt: needed(EMAIL_FIELDS.scheduledAt, 'says when it is to go'),
});

export function idempotencyKeyOf(c: Context): string | undefined {
  return readHeader(c, 'Idempotency-Key');
}

export function emailIdOf(c: Context): string {
  const otherwise = () =>
    new PostriderError('EMAIL_NOT_FOUND', 'That is not the id of an email.', { field: 'id' });
  return inPath(c, 'emails/:id', otherwise).toLowerCase();
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
