/**
 * A stored message opened: parts, headers, attachments. Whatever the bytes are, this answers: what cannot
 * be parsed comes back empty with the reason in `problem`, because the source can still be shown.
 */
import { isUuid, messageOf } from '../../kernel/index.js';
import {
  type Address,
  bytesOf,
  decodeWords,
  headerOf,
  isText,
  type Mail,
  type MailPart,
  readAddresses,
  readMail,
  readTexts,
} from '../../mime/index.js';
import { deriveText } from '../../render/index.js';
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
  const opened: OpenedMessage = { ...NOTHING, html: null, text: null, headers: [], attachments: [] };
  try {
    const mail = await readMail(raw);
    opened.headers = mail.fields.map(({ name, value }) => ({ name, value }));
    Object.assign(opened, await headOf(mail));
    opened.attachments = await attachmentsOf(mail);
    const { text, html } = await readTexts(mail, TEXT_LIMITS);
    opened.text = text ?? null;
    opened.html = html ?? null;
  } catch (error) {
    // What was read before it is shown beside it.
    opened.problem = messageOf(error);
  }
  return opened;
}

/** The line of the list for a message; nothing of it is decoded but its headers. */
export async function summarize(raw: Uint8Array, known: Known): Promise<InboxMessage> {
  const { head, attachments } = await glanceAt(raw);
  return {
    id: known.id,
    from: head.from,
    to: head.to,
    subject: head.subject,
    date: head.date,
    receivedAt: new Date(known.receivedAtMs).toISOString(),
    size: raw.byteLength,
    messageId: head.messageId,
    emailId: emailIdOf(head.messageId),
    attachments,
    envelope: known.envelope,
  };
}

export interface Known {
  id: string;
  receivedAtMs: number;
  envelope: Envelope;
}

type Head = Pick<OpenedMessage, 'from' | 'to' | 'cc' | 'replyTo' | 'subject' | 'date' | 'messageId'>;

const NOTHING: Head = { from: '', to: [], cc: [], replyTo: [], subject: '', date: null, messageId: null };
const TEXT_LIMITS = { maxBytes: 2 * 1024 ** 2, toText: deriveText };

async function glanceAt(raw: Uint8Array): Promise<{ head: Head; attachments: number }> {
  try {
    const mail = await readMail(raw);
    return { head: await headOf(mail), attachments: filesIn(mail).length };
  } catch {
    // The message is kept all the same; the page that opens it says what is wrong.
    return { head: NOTHING, attachments: 0 };
  }
}

async function headOf({ fields }: Mail): Promise<Head> {
  const listed = async (key: string, field: string) =>
    (await readAddresses(headerOf(fields, key) ?? '', field)).map(addressText);
  const [from = ''] = await listed('from', 'From');
  return {
    from,
    to: await listed('to', 'To'),
    cc: await listed('cc', 'Cc'),
    replyTo: await listed('reply-to', 'Reply-To'),
    subject: await decodeWords(headerOf(fields, 'subject') ?? ''),
    date: dateText(headerOf(fields, 'date')),
    messageId: headerOf(fields, 'message-id') || null,
  };
}

/** As ISO 8601, or as written when it is no date. */
function dateText(value: string | undefined): string | null {
  if (value === undefined) return null;
  const date = new Date(value.slice(0, 100));
  return Number.isNaN(date.getTime()) ? value : date.toISOString();
}

function addressText(address: Address): string {
  if (address.group) return `${address.name}: ${address.group.map(addressText).join(', ')};`;
  return address.name ? `${address.name} <${address.address}>` : address.address;
}

function filesIn({ parts }: Mail): MailPart[] {
  return parts.filter((part) => !isText(part));
}

async function attachmentsOf(mail: Mail): Promise<OpenedAttachment[]> {
  const opened: OpenedAttachment[] = [];
  for (const part of filesIn(mail))
    opened.push({
      filename: part.filename,
      contentType: part.type,
      contentId: part.contentId?.replace(/^<|>$/g, '') ?? null,
      content: await bytesOf(part),
    });
  return opened;
}

function emailIdOf(messageId: string | null): string | null {
  const [, local] = /^<?([^@<>]+)@/.exec(messageId ?? '') ?? [];
  return isUuid(local) ? local.toLowerCase() : null;
}
