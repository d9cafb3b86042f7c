import { createHash } from 'node:crypto';
import { MAX_MESSAGE_RECIPIENTS, MAX_RECIPIENTS } from '../../intake/index.js';
import { addressKey, isSameAddress, type Mailbox, PostriderError, parseMailbox } from '../../kernel/index.js';
import {
  decodeWords,
  flattened,
  headerOf,
  isText,
  type Mail,
  type MailPart,
  readAddresses,
  readMail,
  readTexts,
  takeBase64,
} from '../../mime/index.js';
import type { HeaderRecipients } from '../../outbox/index.js';
import { MAX_BODY_BYTES } from '../../policy/index.js';
import { deriveText } from '../../render/index.js';
import { carriedHeaders } from './carried-headers.js';
import { invalidMessage } from './wire-form.js';

export { checkWireForm } from './wire-form.js';

/**
 * A message and its envelope as emails for intake, whose rules judge the content. Who gets it is the envelope's
 * word: those named in To and Cc are written there, the others are blind copies. A message to more people than an email
 * has becomes several, each with the whole To and Cc in its header; one that names nobody becomes one email for each, so
 * that none sees another. What an email of ours cannot say is refused: signed or encrypted messages, several senders.
 * The bytes given are used up.
 */
export async function readSubmission(raw: Buffer, envelope: Envelope): Promise<Submission> {
  const size = raw.length;
  const message = await readMail(raw);
  refuseSealed(message);
  const { kept, told, idempotencyKey } = carriedHeaders(message.fields);
  const addresses = await addressesOf(message);
  const { shares, headerRecipients } = addressed(addresses, envelope);
  refuseManyCopies(shares.length, size, envelope);
  const subject = await decodeWords(headerOf(message.fields, 'subject') ?? '');
  const { text, html } = await readTexts(message, TEXT_LIMITS);
  const files = message.parts.filter((part) => !isText(part));
  const content = {
    ...told,
    ...(addresses.from && { from: addresses.from }),
    ...(addresses.replyTo.length > 0 && { replyTo: addresses.replyTo }),
    subject,
    ...(html !== undefined && { html }),
    ...(text !== undefined && { text }),
    headers: kept,
    ...(files.length > 0 && { attachments: await attachmentsOf(files) }),
  };
  const messageId = headerOf(message.fields, 'message-id') || null;
  return {
    emails: shares.map((share) => ({ ...content, ...share })),
    headerRecipients,
    from: addresses.from?.address ?? null,
    messageId: messageId?.slice(0, 998) ?? null,
    namedKey: idempotencyKey,
    // Without a Message-ID nothing tells a repeat from a second email of the same words.
    repeatKey: messageId === null ? null : repeatKey(envelope),
  };
}

export interface Envelope {
  to: readonly string[];
  /** Of the message, in hex; without it a repeat is not known. */
  digest?: string;
  /** The largest message; all emails that one becomes are together at most twice as large. */
  maxBytes?: number;
}

export interface Submission {
  /** Inputs of `send`, all to be accepted or none. */
  emails: object[];
  /** What To and Cc of each say, where that is not whom it reaches. */
  headerRecipients: HeaderRecipients | null;
  from: string | null;
  /** The client's own; emails of ours have theirs. */
  messageId: string | null;
  /** The idempotency key that a header gives. */
  namedKey: string | null;
  /** One that is the same for the same bytes to the same recipients; null where they may well be meant twice. */
  repeatKey: string | null;
}

/** Intake takes no more; what is far above it is not even decoded. */
const TEXT_LIMITS = { maxBytes: MAX_BODY_BYTES, toText: deriveText };

/** Taken apart and written anew, a signature would be broken and a sealed body meaningless. */
function refuseSealed({ type }: Mail): void {
  if (SEALED.test(type)) throw invalidMessage(`is ${type}, which cannot be carried unchanged`);
}

const SEALED = /^(?:multipart\/(?:signed|encrypted|report)|application\/(?:x-)?pkcs7-mime)$/;

interface Addresses {
  from: Mailbox | null;
  replyTo: Mailbox[];
  to: Mailbox[];
  cc: Mailbox[];
}

async function addressesOf({ fields }: Mail): Promise<Addresses> {
  const listed = async (key: string, field: string) => {
    const value = headerOf(fields, key);
    return value ? flattened(await readAddresses(value, field)) : [];
  };
  const from = await listed('from', 'From');
  const [sender] = await listed('sender', 'Sender');
  const replyTo = await listed('reply-to', 'Reply-To');
  const to = await listed('to', 'To');
  const cc = await listed('cc', 'Cc');
  const isGiven = headerOf(fields, 'from') !== undefined;
  return { from: isGiven ? senderOf(from, sender) : null, replyTo, to, cc };
}

function senderOf(all: readonly Mailbox[], sender: Mailbox | undefined): Mailbox {
  const [only] = all;
  if (!only || all.length > 1) throw invalidMessage('must be one address', 'From');
  const from = parseMailbox(only, 'From');
  if (sender && !isSameAddress(parseMailbox(sender, 'Sender').address, from.address))
    throw invalidMessage('other than From cannot be carried', 'Sender');
  return from;
}

function addressed(addresses: Addresses, envelope: Envelope): Addressed {
  const unnamed = recipientsIn(envelope);
  const count = unnamed.size;
  const seen = new Set<string>();
  const shown = (list: readonly Mailbox[], field: string) => {
    const named: Mailbox[] = [];
    const reached: Mailbox[] = [];
    for (const given of list) {
      const mailbox = parseMailbox(given, field);
      const key = addressKey(mailbox.address);
      if (seen.has(key)) continue;
      seen.add(key);
      // Written as in the envelope, by which whom it reaches is told from whom it names.
      const address = unnamed.get(key);
      named.push(address === undefined ? mailbox : { ...mailbox, address });
      if (unnamed.delete(key)) reached.push(named.at(-1)!);
    }
    return { named, reached };
  };
  const to = shown(addresses.to, 'To');
  const cc = shown(addresses.cc, 'Cc');
  const bcc = [...unnamed.values()];
  if (seen.size === 0)
    return { shares: bcc.map((address) => ({ to: [address], cc: [], bcc: [] })), headerRecipients: null };
  const everyone: Share = { to: to.reached, cc: cc.reached, bcc };
  const namesOthers = seen.size > to.reached.length + cc.reached.length;
  if (count <= MAX_RECIPIENTS && !namesOthers) return { shares: [withTo(everyone)], headerRecipients: null };
  return { shares: sharesOf(everyone), headerRecipients: { to: to.named, cc: cc.named } };
}

/** Each once, as written first. */
function recipientsIn({ to }: Envelope): Map<string, string> {
  const recipients = new Map<string, string>();
  for (const text of to) {
    const { address } = parseMailbox(text, 'RCPT TO');
    const key = addressKey(address);
    if (!recipients.has(key)) recipients.set(key, address);
  }
  if (recipients.size > MAX_MESSAGE_RECIPIENTS)
    throw new PostriderError(
      'PAYLOAD_TOO_LARGE',
      `The message has ${recipients.size} recipients, and at most ${MAX_MESSAGE_RECIPIENTS} are taken at once: send it to the others as a message of its own.`,
      { field: 'envelope' },
    );
  return recipients;
}

/** In order, so that everybody in To comes before everybody who is not. */
function sharesOf({ to, cc, bcc }: Share): Share[] {
  const count = to.length + cc.length + bcc.length;
  const shares: Share[] = [];
  for (let from = 0; from < count; from += MAX_RECIPIENTS) {
    const part = <T>(list: readonly T[], before: number) =>
      list.slice(Math.max(0, from - before), Math.max(0, from + MAX_RECIPIENTS - before));
    const share = { to: part(to, 0), cc: part(cc, to.length), bcc: part(bcc, to.length + cc.length) };
    shares.push(withTo(share));
  }
  return shares;
}

/** Somebody stands in To where anybody is named. */
function withTo({ to, cc, bcc }: Share): Share {
  return to.length > 0 ? { to, cc, bcc } : { to: cc, cc: [], bcc };
}

/** Every email holds all of the message: fifty of a large one would be in memory, and in the database, fifty times. */
function refuseManyCopies(copies: number, bytes: number, { maxBytes }: Envelope): void {
  if (maxBytes === undefined || copies === 1 || copies * bytes <= maxBytes * COPIES_OF_LARGEST) return;
  throw new PostriderError(
    'PAYLOAD_TOO_LARGE',
    `The message becomes ${copies} emails, which are larger than ${maxBytes * COPIES_OF_LARGEST} bytes in all: send it to fewer at once, or without large files.`,
    { field: 'To' },
  );
}

/** So that the largest message reaches as many as RFC 5321 asks for, which are two emails. */
const COPIES_OF_LARGEST = 2;

interface Addressed {
  shares: Share[];
  headerRecipients: HeaderRecipients | null;
}

/** Whom one email reaches. */
interface Share {
  to: Array<Mailbox | string>;
  cc: Mailbox[];
  bcc: string[];
}

async function attachmentsOf(files: readonly MailPart[]): Promise<object[]> {
  const attachments: object[] = [];
  for (const [index, file] of files.entries()) attachments.push(await attachmentOf(file, index));
  return attachments;
}

async function attachmentOf(part: MailPart, index: number): Promise<object> {
  const contentId = part.contentId?.replace(/^<|>$/g, '');
  const shown = contentId && (part.related || part.disposition === 'inline');
  return {
    filename: part.filename ?? `attachment-${index + 1}`,
    content: await takeBase64(part),
    contentType: part.method ? `${part.type}; method=${part.method}` : part.type,
    ...(shown && { contentId }),
  };
}

/** A client that lost our answer sends the same bytes again, Message-ID and all; those are one email. */
function repeatKey({ digest, to }: Envelope): string | null {
  if (digest === undefined) return null;
  const hash = createHash('sha256').update(JSON.stringify(to)).update('\0').update(digest);
  return `smtp:${hash.digest('hex')}`;
}
