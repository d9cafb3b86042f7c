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
import { holdsContent } from '../request-memory.js';
import type { FetchFile, FileSource } from './attachment-input.js';
import { callerCompany } from './caller-company.js';
import { type EmailSources, emailInput } from './email-input.js';
import { listOf, pageQuery } from './list-page.js';
import { presentEmail, presentListed } from './present-email.js';
import { fieldsOf, missing, readBody } from './read-body.js';
import type { ResendAcceptOptions, ResendRooms } from './resend-rooms.js';
import { parseScheduledAt } from './scheduled-at.js';

export interface ResendRouteOptions {
  rooms: ResendRooms;
  clock: Clock;
}

export function resendEmailRoutes({ rooms, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();
  const { emails } = rooms;
  const company = (c: Context<HttpEnv>) => callerCompany(c, rooms.defaultCompany);

  /** Makes a body the caller's own email; for a key that is checked by the access room. */
  function translation(c: Context<HttpEnv>): (body: unknown, at?: string) => Promise<unknown> {
    const companyId = company(c);
    const sources = sourcesFor(c, companyId);
    return async (body, at = '') =>
      confineEmail(c.get('caller'), { ...(await emailInput(body, sources)), companyId }, at);
  }

  const sourcesFor = (c: Context<HttpEnv>, companyId: string, allowance = allowanceOf(c)): EmailSources => ({
    now: () => clock.now(),
    fetchFile: within(rooms.fetchFile, allowance, clock),
    async categoryOf(topicId) {
      const topic = typeof topicId === 'string' ? await rooms.topics.find(companyId, topicId) : null;
      if (topic === null) throw topicNotFound();
      return topic.category;
    },
    async template(template) {
      const { id, variables } = fieldsOf(template, 'template');
      if (typeof id !== 'string') throw missing('template.id');
      const filled = await rooms.templates.fill(companyId, id, variables);
      allowance.take(Buffer.byteLength(filled.html) + Buffer.byteLength(filled.text ?? ''), 'template');
      return filled;
    },
  });

  routes.post('/emails', async (c) => {
    const key = idempotencyKeyOf(c);
    const body = await readJsonBody(c);
    const accepted = await emails.accept(await translation(c)(body), acceptOptions(c, key, body));
    return c.json({ id: accepted.emailId }, 200, leftHeaders(accepted, clock));
  });

  routes.post('/emails/batch', async (c) => {
    const key = idempotencyKeyOf(c);
    const mode = c.req.header('x-batch-validation') ?? 'strict';
    if (mode !== 'strict' && mode !== 'permissive')
      throw refused('x-batch-validation', 'must be strict or permissive');
    const body = await readJsonBody(c);
    if (!Array.isArray(body) || body.length === 0 || body.length > MAX_BATCH)
      throw refused('The body', `must be a list of 1 to ${MAX_BATCH} emails`);
    const translate = translation(c);
    const inputs: unknown[] = [];
    // One after the other, so that no more files are fetched at once than one email has.
    for (const [index, email] of body.entries()) {
      const input = await translate(email, `[${index}].`).catch((error: unknown) => {
        // What passes by itself is no fault of the email.
        if (!isPostriderError(error) || error.retryable) throw error;
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
    const email = await emails.find(company(c), emailIdOf(c), holdsContent(c));
    if (email === null) throw notFound();
    return c.json(presentEmail(email));
  });

  routes.patch('/emails/:id', async (c) => {
    const id = emailIdOf(c);
    const { scheduled_at: at } = await readBody(c);
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

/**
 * What one request brings in beside its body, files it names and templates it fills, has the limit of a body and is held
 * as a body is.
 */
function allowanceOf(c: Context<HttpEnv>): Allowance {
  const limitBytes = c.get('bodyLimitBytes');
  const memory = c.get('memory');
  let left = limitBytes;
  return {
    take(bytes, field) {
      if (bytes > left)
        throw new PostriderError(
          'PAYLOAD_TOO_LARGE',
          `${field} is more than one request may bring: with all files and filled templates ${limitBytes} bytes.`,
          { field },
        );
      memory.take(bytes);
      left -= bytes;
    },
    giveBack(bytes) {
      memory.giveBack(bytes);
      left += bytes;
    },
  };
}

interface Allowance {
  take(bytes: number, field: string): void;
  giveBack(bytes: number): void;
}

/** A minute for all files of a request. What came of one that is refused is given back, for those after it. */
function within(fetchFile: FetchFile, allowance: Allowance, clock: Clock): FileSource {
  const endsAt = clock.monotonic() + FETCH_MS;
  return async (url, field) => {
    const withinMs = endsAt - clock.monotonic();
    if (withinMs <= 0) throw refused(field, `comes after ${FETCH_MS / 1000} seconds of fetching files`);
    let taken = 0;
    const take = (bytes: number) => {
      allowance.take(bytes, field);
      taken += bytes;
    };
    return fetchFile(url, field, { take, withinMs }).catch((error: unknown) => {
      allowance.giveBack(taken);
      throw error;
    });
  };
}

const FETCH_MS = 60_000;

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
