/**
 * A stored message opened: parts, headers, attachments. Whatever the bytes are, this answers: what cannot
 * be parsed comes back empty with the reason in `problem`, because the source can still be shown.
 */
import PostalMime, { type Address, type Attachment, type Email } from 'postal-mime';
import { isUuid, messageOf } from '../../kernel/index.js';
import type { Envelope, InboxMessage } from './inbox-message.js';

export interface OpenedMessage {
  from: string;
  to: string[];
  cc: string[];
  replyTo: string[];
  subject: string;
  date: string | null;
  messageId: string | null;
  html: string | null;
  text: string | null;
  headers: { name: string; value: string }[];
  attachments: OpenedAttachment[];
  problem?: string;
}

export interface OpenedAttachment {
  filename: string | null;
  contentType: string;
  contentId: string | null;
  content: Uint8Array;
}

export async function readMessage(raw: Uint8Array): Promise<OpenedMessage> {
  try {
    return present(await PostalMime.parse(raw, { forceRfc822Attachments: true }));
  } catch (error) {
    return { ...present({ headers: [], headerLines: [], attachments: [] }), problem: messageOf(error) };
  }
}

/** The line of the list for a message just read. */
export function summarize(opened: OpenedMessage, known: Known): InboxMessage {
  return {
    id: known.id,
    from: opened.from,
    to: opened.to,
    subject: opened.subject,
    date: opened.date,
    receivedAt: new Date(known.receivedAtMs).toISOString(),
    size: known.size,
    messageId: opened.messageId,
    emailId: emailIdOf(opened.messageId),
    attachments: opened.attachments.length,
    envelope: known.envelope,
  };
}

export interface Known {
  id: string;
  receivedAtMs: number;
  size: number;
  envelope: Envelope;
}

function present(email: Email): OpenedMessage {
  return {
    from: email.from ? addressText(email.from) : '',
    to: (email.to ?? []).map(addressText),
    cc: (email.cc ?? []).map(addressText),
    replyTo: (email.replyTo ?? []).map(addressText),
    subject: email.subject ?? '',
    date: email.date ?? null,
    messageId: email.messageId ?? null,
    html: email.html ?? null,
    text: email.text ?? null,
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value })),
    attachments: email.attachments.map(attachment),
  };
}

function addressText(address: Address): string {
  if (address.group) return `${address.name}: ${address.group.map(addressText).join(', ')};`;
  return address.name ? `${address.name} <${address.address}>` : address.address;
}

function attachment({ filename, mimeType, contentId, content }: Attachment): OpenedAttachment {
  const bytes = typeof content === 'string' ? Buffer.from(content) : new Uint8Array(content);
  return {
    filename,
    contentType: mimeType,
    contentId: contentId?.replace(/^<|>$/g, '') ?? null,
    content: bytes,
  };
}

function emailIdOf(messageId: string | null): string | null {
  const [, local] = /^<?([^@<>]+)@/.exec(messageId ?? '') ?? [];
  return isUuid(local) ? local.toLowerCase() : null;
}
