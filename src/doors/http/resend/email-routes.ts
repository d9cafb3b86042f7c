/** Emails as Resend's clients send, read, move and take them back. Each route parses, calls a room and presents. */
import { createHash } from 'node:crypto';
import { type Context, Hono } from 'hono';
import { confineEmail } from '../../../access/index.js';
import { type Clock, isPostriderError, isUuid, PostriderError } from '../../../kernel/index.js';
import { topicNotFound } from '../../../recipients/index.js';
import type { AcceptedEmail } from '../http-rooms.js';
import { rateLimitHeaders } from '../rate-limit-headers.js';
import { readJsonBody } from '../read-json-body.js';
import { type HttpEnv, requestIds } from '../request-context.js';
import type { FetchFile } from './attachment-input.js';
import { callerCompany } from './caller-company.js';
import { type EmailSources, emailInput } from './email-input.js';
import { listOf, pageQuery } from './list-page.js';
import { presentEmail, presentListed } from './present-email.js';
import { fieldsOf, missing, readBody } from './read-body.js';
import type { ResendAcceptOptions, ResendRooms } from './resend-rooms.js';
import { parseScheduledAt } from './scheduled-at.js';

export interface ResendRouteOptions {
  rooms: ResendRooms;
  bodyLimitBytes: number;
  clock: Clock;
}

export function resendEmailRoutes({ rooms, bodyLimitBytes, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { emails } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, rooms.defaultCompany);

  /** Makes a body the caller's own email; for a key that is checked by the access room. */
  function translation(c: Context<HttpEnv>): (body: unknown, at?: string) => Promise<unknown> {
    const companyId = company(c);
    const sources = sourcesFor(companyId);
    return async (body, at = '') =>
      confineEmail(c.get('caller'), { ...(await emailInput(body, sources)), companyId }, at);
  }

  const sourcesFor = (companyId: string): EmailSources => ({
    now: () => clock.now(),
    fetchFile: within(bodyLimitBytes, rooms.fetchFile),
    async categoryOf(topicId) {
      const topic = typeof topicId === 'string' ? await rooms.topics.find(companyId, topicId) : null;
      if (topic === null) throw topicNotFound();
      return topic.category;
    },
    template: (template) => {
      const { id, variables } = fieldsOf(template, 'template');
      if (typeof id !== 'string') throw missing('template.id');
      return rooms.templates.fill(companyId, id, variables);
    },
  });

  routes.post('/emails', async (c) => {
    const key = idempotencyKeyOf(c);
    const body = await readJsonBody(c.req.raw, bodyLimitBytes);
    const accepted = await emails.accept(await translation(c)(body), acceptOptions(c, key, body));
    return c.json({ id: accepted.emailId }, 200, leftHeaders(accepted, clock));
  });

  routes.post('/emails/batch', async (c) => {
    const key = idempotencyKeyOf(c);
    const mode = c.req.header('x-batch-validation') ?? 'strict';
    if (mode !== 'strict' && mode !== 'permissive')
      throw refused('x-batch-validation', 'must be strict or permissive');
    const body = await readJsonBody(c.req.raw, bodyLimitBytes);
    if (!Array.isArray(body) || body.length === 0 || body.length > MAX_BATCH)
      throw refused('The body', `must be a list of 1 to ${MAX_BATCH} emails`);
    const translate = translation(c);
    const inputs: unknown[] = [];
    // One after the other, so that no more files are fetched at once than one email has.
    for (const [index, email] of body.entries()) {
      const input = await translate(email, `[${index}].`).catch((error: unknown) => {
        if (!isPostriderError(error)) throw error;
        if (mode === 'permissive') return error;
        throw inPlace(error, index);
      });
      inputs.push(input);
    }
    const options = acceptOptions(c, key, body);
    if (mode === 'strict') {
      const accepted = await emails.acceptBatch(inputs, options);
      return c.json({ data: accepted.map(({ emailId }) => ({ id: emailId })) });
    }
    const answers = await emails.acceptPermissively(inputs, options);
    return c.json({
      data: answers.flatMap(({ emailId }) => (emailId === null ? [] : { id: emailId })),
      errors: answers.flatMap(({ refused: why }, index) =>
        why === null ? [] : { index, message: why.message },
      ),
    });
  });

  routes.get('/emails', async (c) => {
    const { emails: found, more } = await emails.list(company(c), pageQuery(c));
    return c.json(listOf(found.map(presentListed), more));
  });

  routes.get('/emails/:id', async (c) => {
    const email = await emails.find(company(c), emailIdOf(c));
    if (email === null) throw notFound();
    return c.json(presentEmail(email));
  });

  routes.patch('/emails/:id', async (c) => {
    const id = emailIdOf(c);
    const { scheduled_at: at } = await readBody(c.req.raw, bodyLimitBytes);
    if (at === undefined) throw missing('scheduled_at');
    await emails.reschedule(company(c), id, parseScheduledAt(at, clock.now()));
    return c.json({ object: 'email', id });
  });

  routes.post('/emails/:id/cancel', async (c) => {
    const id = emailIdOf(c);
    await emails.cancel(company(c), id);
    return c.json({ object: 'email', id });
  });

  return routes;
}

const MAX_BATCH = 100;

/** Files that are fetched count like those that are sent along. */
function within(limitBytes: number, fetchFile: FetchFile): FetchFile {
  let left = limitBytes;
  return async (url, field) => {
    const bytes = await fetchFile(url, field);
    left -= bytes.length;
    if (left >= 0) return bytes;
    throw new PostriderError('PAYLOAD_TOO_LARGE', `${field} is more than one request may bring.`, { field });
  };
}

function acceptOptions(c: Context<HttpEnv>, key: string | undefined, body: unknown): ResendAcceptOptions {
  return {
    ...requestIds(c),
    keyedInput: body,
    ...(key !== undefined && { idempotencyKey: key }),
  };
}

const KEY = /^[\x20-\x7e]{1,256}$/;

/** Resend takes one character more than the ledger does. */
function idempotencyKeyOf(c: Context): string | undefined {
  const key = c.req.header('idempotency-key');
  if (key === undefined) return undefined;
  if (!KEY.test(key))
    throw new PostriderError('INVALID_HEADER', 'The idempotency key must be 1 to 256 printable characters.', {
      field: 'Idempotency-Key',
    });
  return key.length > 255 ? createHash('sha256').update(key).digest('hex') : key;
}

export function emailIdOf(c: Context): string {
  const id = c.req.param('id') ?? '';
  if (!isUuid(id)) throw notFound();
  return id.toLowerCase();
}

export function notFound(): PostriderError {
  return new PostriderError('EMAIL_NOT_FOUND', 'Email not found', { field: 'id' });
}

function inPlace(error: PostriderError, index: number): PostriderError {
  return new PostriderError(error.code, error.message, {
    field: error.field ? `[${index}].${error.field.replace(/^\[\d+\]\./, '')}` : `[${index}]`,
  });
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}

function leftHeaders({ rateLimit }: AcceptedEmail, clock: Clock): Record<string, string> {
  if (!rateLimit) return {};
  const resetIn =
    rateLimit.resetAt === null ? undefined : (Date.parse(rateLimit.resetAt) - clock.now()) / 1000;
  return rateLimitHeaders(rateLimit, resetIn);
}
