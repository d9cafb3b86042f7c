/**
 * The files of an email: their names, and one of them whole. A file is somebody else's content, so it is only ever
 * downloaded, never shown on this origin; those of sensitive types are the tenant's own to read and no operator's.
 */
import { type Context, Hono } from 'hono';
import { companyOf } from '../../access/index.js';
import { PostriderError } from '../../kernel/index.js';
import { downloadAs } from './download-as.js';
import { emailIdOf } from './email-routes.js';
import type { AttachmentRoom } from './http-rooms.js';
import { inPath } from './path-fields.js';
import type { HttpEnv } from './request-context.js';
import { holdsContent } from './request-memory.js';

export function attachmentRoutes(room: AttachmentRoom): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  routes.get('/v1/emails/:id/attachments', async (c) => {
    const found = await room.attachments(emailIdOf(c), { companyId: companyOf(c.get('caller')) });
    if (found === null) throw notFound('EMAIL_NOT_FOUND', 'There is no such email.', 'id');
    refuseSensitive(c, found.sensitive);
    if (found.attachments === null)
      throw notFound('CONTENT_GONE', 'The content of this email has been removed.', 'id');
    return c.json({ attachments: found.attachments });
  });

  routes.get('/v1/emails/:id/attachments/:index', async (c) => {
    const file = await room.attachment(emailIdOf(c), indexOf(c), {
      companyId: companyOf(c.get('caller')),
      hold: holdsContent(c),
    });
    if (file === null) throw notFound('NOT_FOUND', 'There is no such attachment.', 'index');
    refuseSensitive(c, file.sensitive);
    return c.body(file.content, 200, {
      'Content-Type': file.contentType,
      'Content-Disposition': downloadAs(file.filename),
      'Content-Security-Policy': "default-src 'none'; sandbox",
    });
  });

  return routes;
}

function indexOf(c: Context): number {
  const otherwise = () => notFound('NOT_FOUND', 'An attachment is named by its number.', 'index');
  return Number(inPath(c, 'attachments/:index', otherwise));
}

function refuseSensitive(c: Context<HttpEnv>, sensitive: boolean): void {
  if (!sensitive || c.get('caller').kind === 'key') return;
  throw new PostriderError('FORBIDDEN', 'The content of this type is hidden from operators.');
}

function notFound(code: 'NOT_FOUND' | 'EMAIL_NOT_FOUND' | 'CONTENT_GONE', message: string, field: string) {
  return new PostriderError(code, message, { field });
}
