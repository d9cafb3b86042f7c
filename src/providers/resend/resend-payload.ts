import { createHash } from 'node:crypto';
import { type Mailbox, PostriderError } from '../../kernel/index.js';
import { headerAddress } from '../mime/format-mailbox.js';
import { checkedHeaders } from '../mime/message-headers.js';
import type { OutgoingEmail } from '../provider.js';

/**
 * An email as Resend's POST /emails takes it, the same bytes on every attempt, so that the key's
 * replay works. Refuses (INVALID_HEADER, INVALID_EMAIL) what the other providers refuse too.
 */
export function resendPayload(email: OutgoingEmail): ResendRequest {
  const headers = checkedHeaders(email);
  const wanted = new Set(email.recipients);
  const reached = (mailboxes: Mailbox[], field: string) =>
    mailboxes.filter(({ address }) => wanted.has(address)).map((mailbox) => format(mailbox, field));
  const to = reached(email.to, 'to');
  const cc = reached(email.cc, 'cc');
  const bcc = reached(email.bcc, 'bcc');
  const body = {
    from: format(email.from, 'from'),
    // Somebody must stand there; the hidden ones must not.
    to: to.length > 0 ? to : cc.length > 0 ? cc : [format(email.from, 'from')],
    ...(to.length > 0 && cc.length > 0 ? { cc } : {}),
    ...(bcc.length > 0 ? { bcc } : {}),
    ...(email.replyTo.length > 0 ? { reply_to: email.replyTo.map((each) => format(each, 'replyTo')) } : {}),
    subject: email.subject,
    ...(email.html === '' ? {} : { html: email.html }),
    ...(email.text === '' ? {} : { text: email.text }),
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(email.attachments.length > 0 ? { attachments: email.attachments.map(attachmentOf) } : {}),
  };
  return { body: JSON.stringify(body), idempotencyKey: keyOf(email) };
}

export interface ResendRequest {
  body: string;
  idempotencyKey: string;
}

/** The email's id; another request than the whole email, after a partial delivery, needs another key. */
function keyOf({ id, recipients, to, cc, bcc }: OutgoingEmail): string {
  const all = new Set([...to, ...cc, ...bcc].map(({ address }) => address));
  if (recipients.length >= all.size) return id;
  const digest = createHash('sha256')
    .update([...recipients].sort().join('\n'))
    .digest('hex');
  return `${id}/${digest.slice(0, 16)}`;
}

function format({ address, name }: Mailbox, field: string): string {
  const shown = headerAddress(address, field);
  if (!name) return shown;
  if (/[\x00-\x1f\x7f]/.test(name)) {
    throw new PostriderError('INVALID_HEADER', 'A name holds a control character.', { field });
  }
  // A name that could be read as an address or a list is quoted.
  const special = /[",;:<>()@[\]\\]/.test(name);
  return `${special ? `"${name.replace(/["\\]/g, '\\$&')}"` : name} <${shown}>`;
}

function attachmentOf(attachment: OutgoingEmail['attachments'][number]) {
  const { filename, contentType, content, contentId } = attachment;
  return {
    filename,
    content: content.toString('base64'),
    content_type: contentType,
    ...(contentId === undefined ? {} : { content_id: contentId }),
  };
}
