import { PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { messageHeaders } from './message-headers.js';

/**
 * The rarer shapes: attachments and images inside the HTML. The body is built by nodemailer's composer,
 * which is given content only, never a path or an address to fetch from; the headers are our own, so
 * that subjects and names are written alike with and without attachments.
 */
export async function composeWithAttachments(email: OutgoingEmail): Promise<Buffer> {
  const head = messageHeaders(email);
  email.attachments.forEach(checkAttachment);
  // Loaded by the first email that needs it: most processes never see an attachment.
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composer = new MailComposer({
    text: email.text,
    html: email.html,
    attachments: email.attachments.map((attachment) => ({
      filename: attachment.filename,
      contentType: attachment.contentType,
      content: attachment.content,
      ...(attachment.contentId === undefined
        ? {}
        : { cid: attachment.contentId, contentDisposition: 'inline' }),
    })),
    baseBoundary: email.id,
    newline: '\r\n',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const built = await composer.compile().build();
  const end = built.indexOf('\r\n\r\n');
  const mimeHeaders = built
    .toString('latin1', 0, end)
    .split(/\r\n(?![ \t])/)
    .filter((line) => /^(?:mime-version|content-)/i.test(line));
  return Buffer.concat([Buffer.from(head + mimeHeaders.join('\r\n')), built.subarray(end)]);
}

function checkAttachment(attachment: OutgoingEmail['attachments'][number], index: number): void {
  const field = `attachments[${index}]`;
  const { filename, contentType, contentId } = attachment;
  if (CONTROL.test(filename)) throw invalid(`${field}.filename`, 'A file name holds a control character.');
  if (!/^[\w.+-]+\/[\w.+-]+(?:;[\x20-\x7e]*)?$/.test(contentType)) {
    throw invalid(`${field}.contentType`, 'A content type is of the form type/subtype.');
  }
  if (contentId !== undefined && !/^[\x21-\x3b\x3d\x3f-\x7e]+$/.test(contentId)) {
    throw invalid(`${field}.contentId`, 'A content id is ASCII without spaces and angle brackets.');
  }
}

const CONTROL = /[\x00-\x1f\x7f]/;

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_HEADER', message, { field });
}
