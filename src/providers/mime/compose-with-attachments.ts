import { CONTENT_ID, CONTENT_TYPE, hasControlCharacter, PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { withCrlf } from './encode-body-part.js';
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
    // Of a line in ASCII it takes a CR that stands alone for a letter.
    text: withCrlf(email.text),
    html: withCrlf(email.html),
    attachments: email.attachments.map((attachment) => ({
      filename: attachment.filename,
      contentType: carriedType(attachment),
      content: attachment.content,
      ...(attachment.contentId !== undefined && {
        cid: attachment.contentId,
        // Inline text would be shown as a part of the body.
        contentDisposition: /^text\//i.test(attachment.contentType) ? 'attachment' : 'inline',
      }),
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

/**
 * A message inside a message may not be encoded (RFC 2046, 5.2.1), so one that breaks a rule of the wire goes as the
 * file it is.
 */
function carriedType({ contentType, content }: OutgoingEmail['attachments'][number]): string {
  return /^message\//i.test(contentType) && !mayStandUnencoded(content)
    ? 'application/octet-stream'
    : contentType;
}

/** No NUL, no CR of its own, no line over the limit of SMTP. */
function mayStandUnencoded(content: Buffer): boolean {
  if (content.includes(0)) return false;
  for (let at = content.indexOf(CR); at >= 0; at = content.indexOf(CR, at + 1))
    if (content[at + 1] !== LF) return false;
  let start = 0;
  for (let end = content.indexOf(LF); end >= 0; end = content.indexOf(LF, start)) {
    if (end - start > MAX_LINE) return false;
    start = end + 1;
  }
  return content.length - start <= MAX_LINE;
}

const CR = 0x0d;
const LF = 0x0a;
const MAX_LINE = 998;

function checkAttachment(attachment: OutgoingEmail['attachments'][number], index: number): void {
  const field = `attachments[${index}]`;
  const { filename, contentType, contentId } = attachment;
  if (hasControlCharacter(filename))
    throw invalid(`${field}.filename`, 'A file name holds a control character.');
  if (!CONTENT_TYPE.test(contentType)) {
    throw invalid(`${field}.contentType`, 'A content type is of the form type/subtype.');
  }
  if (contentId !== undefined && !CONTENT_ID.test(contentId)) {
    throw invalid(`${field}.contentId`, 'A content id is ASCII without spaces and angle brackets.');
  }
}

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_HEADER', message, { field });
}
