import { createHash } from 'node:crypto';
import PostalMime, { type Address, type Attachment, addressParser, type Email } from 'postal-mime';
import { isSameAddress, type Mailbox, parseMailbox } from '../../kernel/index.js';
import { carriedHeaders } from './carried-headers.js';
import { checkWireForm, invalidMessage } from './wire-form.js';

/**
 * A message and its envelope as emails for intake, whose rules judge the content. Who gets it is the envelope's
 * word: those named in To and Cc are written there, the others are blind copies. A message that names nobody becomes
 * one email for each, so that none sees another. What an email of ours cannot say is refused: signed or encrypted
 * messages, several senders, someone in To who is not to get it.
 */
export async function readSubmission(raw: Buffer, envelope: Envelope): Promise<Submission> {
  checkWireForm(raw);
  const message = await parse(raw);
  refuseSealed(message);
  const { kept, told, idempotencyKey } = carriedHeaders(message.headers);
  const from = senderOf(message);
  const content = {
    ...told,
    ...(from && { from }),
    ...(message.replyTo && { replyTo: flat(message.replyTo) }),
    subject: message.subject ?? '',
    ...(message.html !== undefined && { html: message.html }),
    ...(message.text !== undefined && { text: message.text }),
    headers: kept,
    ...(message.attachments.length > 0 && { attachments: message.attachments.map(attachmentOf) }),
  };
  return {
    emails: addressed(message, envelope).map((recipients) => ({ ...content, ...recipients })),
    from: from?.address ?? null,
    messageId: message.messageId?.slice(0, 998) ?? null,
    namedKey: idempotencyKey,
    repeatKey: repeatKey(raw, message, envelope),
  };
}

export interface Envelope {
  to: readonly string[];
}

export interface Submission {
  /** Inputs of `send`, all to be accepted or none. */
  emails: object[];
  from: string | null;
  /** The client's own; emails of ours have theirs. */
  messageId: string | null;
  /** The idempotency key that a header gives. */
  namedKey: string | null;
  /** One that is the same for the same bytes to the same recipients; null where they may well be meant twice. */
  repeatKey: string | null;
}

const LIMITS = {
  forceRfc822Attachments: true,
  attachmentEncoding: 'base64',
  maxNestingDepth: 20,
  maxHeadersSize: 256 * 1024,
} as const;

async function parse(raw: Buffer): Promise<Email> {
  try {
    return await PostalMime.parse(raw, LIMITS);
  } catch {
    // Its parts are nested too deep or have too many headers; its words are not for a reply.
    throw invalidMessage('cannot be read: too deeply nested, or parts with huge headers');
  }
}

/** Taken apart and written anew, a signature would be broken and a sealed body meaningless. */
function refuseSealed(message: Email): void {
  const contentType = message.headers.find(({ key }) => key === 'content-type')?.value ?? '';
  const [kind] =
    /^\s*(?:multipart\/(?:signed|encrypted|report)|application\/(?:x-)?pkcs7-mime)/i.exec(contentType) ?? [];
  if (kind) throw invalidMessage(`is ${kind.trim().toLowerCase()}, which cannot be carried unchanged`);
}

function senderOf(message: Email): Mailbox | null {
  const value = message.headers.find(({ key }) => key === 'from')?.value;
  if (value === undefined) return null;
  const all = addressParser(value, { flatten: true });
  if (all.length !== 1) throw invalidMessage('must be one address', 'From');
  const from = mailboxOf(message.from ?? all[0]!, 'From');
  const sender = message.sender && mailboxOf(message.sender, 'Sender');
  if (sender && !isSameAddress(sender.address, from.address))
    throw invalidMessage('other than From cannot be carried', 'Sender');
  return from;
}

function addressed(message: Email, envelope: Envelope): Recipients[] {
  const left: string[] = [];
  for (const text of envelope.to) {
    const { address } = parseMailbox(text, 'RCPT TO');
    if (!left.some((known) => isSameAddress(known, address))) left.push(address);
  }
  const everyone = [...left];
  const named = (list: Address[] | undefined, field: string) =>
    flat(list).flatMap((given) => {
      const mailbox = mailboxOf(given, field);
      if (!everyone.some((address) => isSameAddress(address, mailbox.address)))
        throw invalidMessage(`names ${mailbox.address}, who is not among the recipients`, field);
      const at = left.findIndex((address) => isSameAddress(address, mailbox.address));
      return at === -1 ? [] : [{ ...mailbox, address: left.splice(at, 1)[0]! }];
    });
  const to = named(message.to, 'To');
  const cc = named(message.cc, 'Cc');
  if (to.length > 0) return [{ to, cc, bcc: left }];
  if (cc.length > 0) return [{ to: cc, cc: [], bcc: left }];
  return left.map((address) => ({ to: [address], cc: [], bcc: [] }));
}

interface Recipients {
  to: Array<Mailbox | string>;
  cc: Mailbox[];
  bcc: string[];
}

function flat(list: Address[] | undefined): Mailbox[] {
  return (list ?? [])
    .flatMap((one) => (one.group ? one.group : [one]))
    .map(({ address, name }) => ({
      address,
      ...(name && { name }),
    }));
}

function mailboxOf(given: Address | Mailbox, field: string): Mailbox {
  const { address = '', name } = given as { address?: string; name?: string };
  return parseMailbox(name ? { address, name } : { address }, field);
}

function attachmentOf(part: Attachment, index: number): object {
  const contentId = part.contentId?.replace(/^<|>$/g, '');
  const shown = contentId && (part.related || part.disposition === 'inline');
  return {
    filename: part.filename ?? `attachment-${index + 1}`,
    content: part.content as string,
    contentType: part.method ? `${part.mimeType}; method=${part.method}` : part.mimeType,
    ...(shown && { contentId }),
  };
}

/**
 * A client that lost our answer sends the same bytes again, Message-ID and all; those are one email. Without a
 * Message-ID nothing tells a repeat from a second email of the same words.
 */
function repeatKey(raw: Buffer, message: Email, envelope: Envelope): string | null {
  if (!message.messageId) return null;
  const hash = createHash('sha256').update(JSON.stringify(envelope.to)).update('\0').update(raw);
  return `smtp:${hash.digest('hex')}`;
}
