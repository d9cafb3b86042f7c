import type { Mailbox } from '../kernel/index.js';
import type { OpenedEmail } from '../outbox/index.js';
import type { OutgoingEmail } from '../providers/index.js';

/** What a provider gets: the same on every attempt but for the recipients still to be reached. */
export function outgoingEmail(email: OpenedEmail, from: Mailbox): OutgoingEmail {
  const { message, body } = email;
  const cc = message.cc ?? [];
  const bcc = message.bcc ?? [];
  return {
    id: email.id,
    messageId: messageIdOf(email.id, from.address),
    date: email.createdAt,
    from,
    replyTo: message.replyTo ?? [],
    to: message.to,
    cc,
    bcc,
    subject: email.subject,
    html: body?.html ?? '',
    text: body?.text ?? '',
    headers: message.headers ?? {},
    attachments: (body?.attachments ?? []).map((attachment) => ({
      ...attachment,
      content: Buffer.from(attachment.content, 'base64'),
    })),
    recipients: email.remaining ?? [...message.to, ...cc, ...bcc].map((mailbox) => mailbox.address),
  };
}

/** Made of the id, so that a possible duplicate carries the same one and can be recognised. */
export function messageIdOf(id: string, from: string): string {
  return `<${id}@${from.slice(from.lastIndexOf('@') + 1)}>`;
}
