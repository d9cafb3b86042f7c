import MailComposer from 'nodemailer/lib/mail-composer';
import type { Mailbox } from '../../kernel/index.js';
import { PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { headerAddress } from './format-mailbox.js';
import { checkHeaders } from './message-headers.js';

/**
 * The rarer shapes, built by nodemailer's composer: attachments and images inside the HTML. It is
 * given content only, never a path or an address to fetch from.
 */
export async function composeWithAttachments(email: OutgoingEmail): Promise<Buffer> {
  checkHeaders(email);
  email.attachments.forEach(checkAttachment);
  const composer = new MailComposer({
    from: toAddress(email.from, 'from'),
    to: email.to.map((mailbox) => toAddress(mailbox, 'to')),
    cc: email.cc.map((mailbox) => toAddress(mailbox, 'cc')),
    replyTo: email.replyTo.map((mailbox) => toAddress(mailbox, 'replyTo')),
    subject: email.subject,
    text: email.text,
    html: email.html,
    date: email.date,
    messageId: email.messageId,
    headers: { ...undisclosed(email), ...email.headers },
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
  return composer.compile().build();
}

function toAddress({ address, name }: Mailbox, field: string): { address: string; name: string } {
  if (name !== undefined && CONTROL.test(name)) throw invalid(field, 'A name holds a control character.');
  return { address: headerAddress(address, field), name: name ?? '' };
}

function undisclosed({ to, cc }: OutgoingEmail): Record<string, string> {
  return to.length + cc.length === 0 ? { To: 'undisclosed-recipients:;' } : {};
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
