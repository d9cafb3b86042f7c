import { domainInAscii, type Mailbox, withoutByteOrderMark } from '../kernel/index.js';
import {
  type HeaderRecipients,
  type OpenedEmail,
  recipientsOf,
  type StoredMessage,
} from '../outbox/index.js';
import type { OutgoingEmail } from '../providers/index.js';

/**
 * What a provider gets: the same on every attempt but for the recipients still to be reached. Content that came by SQL
 * may begin with a byte order mark, which intake takes away.
 */
export function outgoingEmail(email: OpenedEmail, from: Mailbox): OutgoingEmail {
  const { message, body } = email;
  const { headerRecipients } = message;
  return {
    id: email.id,
    messageId: messageIdOf(email.id, from.address),
    date: email.createdAt,
    from,
    replyTo: message.replyTo ?? [],
    to: headerRecipients?.to ?? message.to,
    cc: headerRecipients?.cc ?? message.cc ?? [],
    bcc: headerRecipients ? unnamed(message, headerRecipients) : (message.bcc ?? []),
    subject: withoutByteOrderMark(email.subject),
    html: withoutByteOrderMark(body?.html ?? ''),
    text: withoutByteOrderMark(body?.text ?? ''),
    headers: message.headers ?? {},
    // One by one: a row may hold more, such as a path that a provider would read.
    attachments: (body?.attachments ?? []).map(({ filename, contentType, contentId, content }) => ({
      filename,
      contentType,
      ...(contentId !== undefined && { contentId }),
      content: Buffer.from(content, 'base64'),
    })),
    recipients: email.remaining ?? recipientsOf(message).map((mailbox) => mailbox.address),
  };
}

/** Who is reached and stands in no header. */
function unnamed(message: StoredMessage, header: HeaderRecipients): Mailbox[] {
  const shown = new Set(recipientsOf(header).map(({ address }) => address));
  return recipientsOf(message).filter(({ address }) => !shown.has(address));
}

/** Made of the id, so that a possible duplicate carries the same one and can be recognised. */
export function messageIdOf(id: string, from: string): string {
  const domain = from.slice(from.lastIndexOf('@') + 1);
  // Intake stores domains in ASCII; SQL stores what it is given.
  return `<${id}@${ASCII.test(domain) ? domain : (domainInAscii(domain) ?? '')}>`;
}

const ASCII = /^[\x00-\x7f]*$/;
