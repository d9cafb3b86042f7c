/**
 * The files of an email: listed, described, and fetched by a link that holds for an hour and needs no key, which is
 * what clients expect of `download_url`. Of sensitive types there are none to see.
 */
import { type Context, Hono } from 'hono';
import { PostriderError } from '../../../kernel/index.js';
import type { AttachmentEntry } from '../../../views/index.js';
import { downloadAs } from '../download-as.js';
import type { HttpEnv } from '../request-context.js';
import { holdsContent } from '../request-memory.js';
import { callerCompany } from './caller-company.js';
import { emailIdOf, notFound, type ResendRouteOptions } from './email-routes.js';
import { linkTo } from './link-to.js';
import { listOf, pageQuery } from './list-page.js';

export function resendAttachmentRoutes({ rooms, clock }: ResendRouteOptions): Hono<HttpEnv> {
  const routes = new Hono<HttpEnv>();

  async function filesOf(c: Context<HttpEnv>) {
    const companyId = callerCompany(c, rooms.defaultCompany);
    const emailId = emailIdOf(c);
    const files = await rooms.emails.files(companyId, emailId);
    if (files === null) throw notFound();
    const expiresAt = clock.now() + HOUR_MS;
    return files.map((file) => {
      const id = attachmentId(emailId, file.index);
      const token = rooms.links.sign({ companyId, emailId, attachmentId: id, expiresAt });
      return described(file, id, { url: linkTo(c, `attachments/${token}`, rooms.publicUrl), expiresAt });
    });
  }

  routes.get('/emails/:id/attachments', async (c) => {
    const { limit, after, before } = pageQuery(c);
    const files = await filesOf(c);
    // In the order they are attached, which is the order of their ids.
    const ahead = files.filter(
      ({ id }) => (after === null || id > after) && (before === null || id < before),
    );
    const page = before === null ? ahead.slice(0, limit) : ahead.slice(-limit);
    return c.json(listOf(page, ahead.length > limit));
  });

  routes.get('/emails/:id/attachments/:attachment', async (c) => {
    const file = (await filesOf(c)).find(({ id }) => id === c.req.param('attachment').toLowerCase());
    if (file === undefined) throw fileNotFound();
    return c.json({ object: 'attachment', ...file });
  });

  routes.get('/attachments/:token', async (c) => {
    const link = await rooms.links.read(c.req.param('token'));
    const index = link && indexIn(link);
    if (link === null || index === null) throw fileNotFound();
    const file = await rooms.emails.file(link.companyId, link.emailId, index, holdsContent(c));
    if (file === null) throw fileNotFound();
    return c.body(file.content, 200, {
      // Never shown in place: what a stranger attached must not run on this origin.
      'Content-Type': 'application/octet-stream',
      'Content-Disposition': downloadAs(file.filename),
    });
  });

  return routes;
}

const HOUR_MS = 3_600_000;

/** Files have no rows of their own: the email's id with the last digits replaced by the file's number. */
function attachmentId(emailId: string, index: number): string {
  return emailId.slice(0, -4) + (index + 1).toString(16).padStart(4, '0');
}

/** What `attachmentId` was made of; null where the link is to something else. */
function indexIn({ emailId, attachmentId: id }: { emailId: string; attachmentId: string }): number | null {
  const index = Number.parseInt(id.slice(-4), 16) - 1;
  return index >= 0 && attachmentId(emailId, index) === id ? index : null;
}

function described(file: AttachmentEntry, id: string, link: { url: string; expiresAt: number }) {
  return {
    id,
    filename: file.filename,
    size: file.bytes,
    content_type: file.contentType,
    content_disposition: file.contentId === null ? 'attachment' : 'inline',
    content_id: file.contentId,
    download_url: link.url,
    expires_at: new Date(link.expiresAt).toISOString(),
  };
}

function fileNotFound(): PostriderError {
  return new PostriderError('NOT_FOUND', 'Attachment not found', { field: 'id' });
}
