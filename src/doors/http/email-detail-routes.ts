/**
 * One email for operators: all that is known of it, its content in a frame's own policy, and once more; and the list
 * as a file. Content is somebody else's markup: it is only ever answered where it can do nothing.
 */
import { Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import { FRAME_POLICY, streamHtml } from '../inbox/index.js';
import { csvRow } from './csv-row.js';
import { emailIdOf, idempotencyKeyOf } from './email-routes.js';
import type { EmailDetailRoom, HttpOperations } from './http-rooms.js';
import { EMAIL_EXPORT_QUERY } from './list-queries.js';
import { readQuery } from './read-query.js';
import type { HttpEnv } from './request-context.js';
import { holdsContent } from './request-memory.js';

export function emailDetailRoutes(room: EmailDetailRoom, operations: HttpOperations): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  // Named before the one with an id in the path.
  routes.get('/admin/emails/export', async (c) => {
    const { companyId: asked, ...filter } = readQuery(c, EMAIL_EXPORT_QUERY);
    const companyId = companyOf(c.get('caller'), asked);
    const query = { ...filter, ...(companyId !== undefined && { companyId }), limit: PAGE };
    // The first page before the first byte, so that a filter that does not hold is a refusal and no broken file.
    const first = (await operations.list(query)) as Page;
    return c.body(ReadableStream.from(rowsOf(operations, query, first)), 200, {
      'Content-Type': 'text/csv; charset=utf-8',
      'Content-Disposition': 'attachment; filename="emails.csv"',
    });
  });

  routes.get('/admin/emails/:id', async (c) => c.json(found(await room.detail(emailIdOf(c)))));

  routes.get('/admin/emails/:id/content', async (c) => {
    const { html, text } = found(await room.content(emailIdOf(c), { part: 'bodies', hold: holdsContent(c) }));
    return c.json({ html, text });
  });

  routes.get('/admin/emails/:id/html', async (c) => {
    const { html, attachments } = found(
      await room.content(emailIdOf(c), { part: 'shown', hold: holdsContent(c) }),
    );
    return c.body(streamHtml({ html: html ?? '', attachments }), 200, {
      'Content-Type': 'text/html; charset=UTF-8',
      'Content-Security-Policy': FRAME_POLICY,
    });
  });

  routes.post('/admin/emails/:id/resend', async (c) => {
    const idempotencyKey = idempotencyKeyOf(c);
    const accepted = await room.sendAgain(emailIdOf(c), {
      requestId: c.get('requestId'),
      hold: (bytes) => c.get('memory').take(bytes),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    return c.json(accepted, 202);
  });

  return routes;
}

const PAGE = 200;
const COLUMNS = [
  ...['id', 'createdAt', 'status', 'companyId', 'type', 'to', 'subject', 'provider', 'route', 'attempts'],
  ...['errorCode', 'lastError', 'messageId', 'sentAt', 'failedAt', 'requestId'],
] as const;

interface Page {
  emails: Array<Record<(typeof COLUMNS)[number], string | number | null>>;
  nextCursor: string | null;
}

async function* rowsOf(
  operations: HttpOperations,
  query: object,
  first: Page,
): AsyncGenerator<Uint8Array<ArrayBuffer>> {
  const encoder = new TextEncoder();
  yield encoder.encode(csvRow(COLUMNS));
  for (let page = first; ; page = (await operations.list({ ...query, cursor: page.nextCursor })) as Page) {
    const rows = page.emails.map((email) => csvRow(COLUMNS.map((name) => email[name])));
    if (rows.length > 0) yield encoder.encode(rows.join(''));
    if (page.nextCursor === null) return;
  }
}

function found<T>(answer: T | null): T {
  if (answer === null)
    throw new PostriderError('EMAIL_NOT_FOUND', 'There is no such email.', { field: 'id' });
  return answer;
}
