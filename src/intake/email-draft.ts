import {
  type Fields,
  invalidPayload,
  isSameAddress,
  type Mailbox,
  type PostriderError,
  readFields,
  withoutByteOrderMark,
} from '../kernel/index.js';
import type { DeliveryMode, HeaderRecipients, NewEmail, Priority } from '../outbox/index.js';
import { type Content, type ContentProblem, checkContent, isBlank, MAX_BODY_BYTES } from '../policy/index.js';
import { deriveHtml, deriveText } from '../render/index.js';
import { parseAttachments } from './draft-attachments.js';
import { parseTimes } from './draft-times.js';
import { EMAIL_FIELDS, MAX_RECIPIENTS, RECIPIENT_FIELDS, UNNAMED_TO } from './email-fields.js';
import type { RenderTyped, TypeChoices, TypedContent } from './render-typed.js';

/**
 * The body of `POST /v1/email/send` and the argument of `send()`, from unknown input to a draft every later step can
 * trust: addresses and headers safe on the wire, text the store can hold, content within the rules, the missing part
 * derived. Throws the first problem with its field. Refuses unknown keys; never trims, guesses or repairs, but for a byte
 * order mark, which it takes away.
 */
export function parseEmailDraft(
  input: unknown,
  now: number,
  { typed, headerRecipients = null, maxAttachmentBytes, later }: DraftOptions,
): EmailDraft {
  const fields = readFields(input, '', KEYS);
  const recipients = parseRecipients(fields, headerRecipients === null ? EMAIL_FIELDS.to : UNNAMED_TO);
  const { type, data } = parseType(fields);
  const times = parseTimes(fields.scheduledAt, fields.expiresAt, now);
  const companyId = EMAIL_FIELDS.companyId.read(fields.companyId, 'companyId');
  const lang = EMAIL_FIELDS.lang.read(fields.lang, 'lang');
  const attachments = parseAttachments(fields.attachments, maxAttachmentBytes);
  const content = parseContent(
    fields,
    (problem) => {
      if (type === null || typed === undefined) throw problem();
      return typed({
        type,
        data,
        companyId,
        lang,
        attachments,
        maxAttachmentBytes,
        at: now,
        soleAddress: soleAddressOf(recipients),
      });
    },
    later,
  );
  const { choices } = content;
  const { recipientId, recipientExternalId } = parseRecipientIds(fields.recipient, recipients.to);
  // Written out, not copied together: it is made for every email.
  return {
    companyId,
    type,
    lang,
    region: EMAIL_FIELDS.region.read(fields.region, 'region'),
    userId: EMAIL_FIELDS.userId.read(fields.userId, 'userId'),
    recipientId,
    recipientExternalId,
    from: fields.from === undefined ? null : EMAIL_FIELDS.from.read(fields.from, 'from'),
    replyTo: EMAIL_FIELDS.replyTo.read(fields.replyTo, 'replyTo'),
    to: recipients.to,
    cc: recipients.cc,
    bcc: recipients.bcc,
    headerRecipients,
    headers: EMAIL_FIELDS.headers.read(fields.headers, 'headers'),
    category: EMAIL_FIELDS.category.read(fields.category, 'category'),
    attachments: content.attachments ?? attachments,
    subject: content.subject,
    html: content.html,
    text: content.text,
    priority: EMAIL_FIELDS.priority.read(fields.priority, 'priority') ?? choices?.priority ?? null,
    scheduledAt: times.scheduledAt,
    expiresAt: times.expiresAt ?? expiryAfter(times.scheduledAt?.getTime() ?? now, choices),
    metadata: EMAIL_FIELDS.metadata.read(fields.metadata, 'metadata'),
    delivery: EMAIL_FIELDS.delivery.read(fields.delivery, 'delivery') ?? choices?.delivery ?? null,
    sensitive: choices?.sensitive ?? false,
    retry: EMAIL_FIELDS.retry.read(fields.retry, 'retry') ?? choices?.retry ?? null,
  };
}

export interface DraftOptions {
  typed?: RenderTyped | undefined;
  /** What To and Cc say, where that is not `to` and `cc`. */
  headerRecipients?: HeaderRecipients | null | undefined;
  /** Of all files together; 10 MB where nothing is said. */
  maxAttachmentBytes?: number | undefined;
  /** Takes what is still to be judged of content that needs a closer look; the draft holds only once that is null. */
  later(judgement: Promise<ContentProblem | null>): void;
}

/** Whose email it is, read before anything else of it is known to hold. */
export function readCompanyId(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'companyId')) return null;
  return EMAIL_FIELDS.companyId.read((input as Fields).companyId ?? undefined, 'companyId');
}

/** A new email before the tenant, the ids and the defaults are filled in; null is "not said". */
export interface EmailDraft
  extends Omit<
    NewEmail,
    | 'id'
    | 'tenant'
    | 'requestId'
    | 'traceparent'
    | 'maxAttempts'
    | 'route'
    | 'retry'
    | 'delivery'
    | 'priority'
    | 'essential'
    | 'suppressed'
  > {
  companyId: string | null;
  region: string | null;
  retry: string | null;
  delivery: DeliveryMode | null;
  priority: Priority | null;
}

const KEYS = Object.keys(EMAIL_FIELDS);
const RECIPIENT_KEYS = Object.keys(RECIPIENT_FIELDS);

function parseRecipients(fields: Fields, toField: typeof UNNAMED_TO): Pick<EmailDraft, 'to' | 'cc' | 'bcc'> {
  const to = toField.read(fields.to, 'to');
  const cc = EMAIL_FIELDS.cc.read(fields.cc, 'cc');
  const bcc = EMAIL_FIELDS.bcc.read(fields.bcc, 'bcc');
  if (to.length + cc.length + bcc.length > MAX_RECIPIENTS)
    throw invalidPayload('to', `, cc and bcc have more than ${MAX_RECIPIENTS} addresses in all`);
  if (to.length + cc.length + bcc.length === 0) throw invalidPayload('to', ', cc and bcc name nobody');
  return { to, cc, bcc };
}

/** Whom it goes to, where that is one alone. */
export function soleAddressOf({ to, cc, bcc }: Pick<EmailDraft, 'to' | 'cc' | 'bcc'>): string | null {
  return to.length === 1 && cc.length + bcc.length === 0 ? to[0]!.address : null;
}

/** `recipient` names the one person in `to`, by our id or by the application's. */
function parseRecipientIds(
  input: unknown,
  to: Mailbox[],
): Pick<EmailDraft, 'recipientId' | 'recipientExternalId'> {
  if (input === undefined) return { recipientId: null, recipientExternalId: null };
  const fields = readFields(input, 'recipient', RECIPIENT_KEYS);
  const { address } = RECIPIENT_FIELDS.email.read(fields.email, 'recipient.email');
  if (to.length !== 1 || !isSameAddress(address, to[0]!.address))
    throw invalidPayload('recipient.email', 'must be the one address in to');
  const recipientId = RECIPIENT_FIELDS.recipientId.read(fields.recipientId, 'recipient.recipientId');
  const recipientExternalId = RECIPIENT_FIELDS.externalId.read(fields.externalId, 'recipient.externalId');
  if (recipientId === null && recipientExternalId === null)
    throw invalidPayload('recipient', 'needs a recipientId or an externalId');
  return { recipientId, recipientExternalId };
}

/** A type given with content is a label; `data` belongs to a type and is checked even where content makes it unneeded. */
function parseType(fields: Fields): { type: string | null; data: Record<string, unknown> } {
  const type = EMAIL_FIELDS.type.read(fields.type, 'type');
  if (fields.data !== undefined && type === null)
    throw invalidPayload('data', 'is only possible together with type');
  return { type, data: EMAIL_FIELDS.data.read(fields.data, 'data') };
}

function parseContent(
  fields: Fields,
  withoutBody: (problem: () => PostriderError) => TypedContent,
  later: DraftOptions['later'],
): TypedContent {
  const html = withoutByteOrderMark(EMAIL_FIELDS.html.read(fields.html, 'html') ?? '');
  const text = withoutByteOrderMark(EMAIL_FIELDS.text.read(fields.text, 'text') ?? '');
  const hasBody = !isBlank(html) || !isBlank(text);
  if (!hasBody && fields.type !== undefined) {
    // Made only when needed: an error with its stack costs more than most of the parsing.
    const typed = withoutBody(() =>
      invalidPayload('type', 'has no template; send html or text along', 'UNKNOWN_TYPE'),
    );
    if (fields.subject !== undefined)
      throw invalidPayload('subject', "comes from the type's template; leave it out");
    refuseBadContent(typed, later);
    return unmarked(typed);
  }
  const given = EMAIL_FIELDS.subject.read(fields.subject, 'subject');
  if (given === null) throw invalidPayload('subject', 'is missing');
  const subject = withoutByteOrderMark(given);
  refuseBadContent({ subject, html, text }, later);
  if (isBlank(text)) {
    // HTML may have a mark where its text begins.
    const derived = withoutByteOrderMark(deriveText(html));
    // A rule of four characters is a line of forty.
    if (Buffer.byteLength(derived) > MAX_BODY_BYTES)
      throw invalidPayload('html', 'is too long to derive text from; send text along', 'INVALID_TEMPLATE');
    return { subject, html, text: derived };
  }
  if (!isBlank(html)) return { subject, html, text };
  const derived = deriveHtml(text);
  // Escaping can make HTML several times as long as its text.
  if (Buffer.byteLength(derived) > MAX_BODY_BYTES)
    throw invalidPayload('text', 'is too long to derive html from; send html along', 'INVALID_TEMPLATE');
  return { subject, html: derived, text };
}

/** A template's file, or what it is filled in with, may begin with one too. */
function unmarked(content: TypedContent): TypedContent {
  return {
    ...content,
    subject: withoutByteOrderMark(content.subject),
    html: withoutByteOrderMark(content.html),
    text: withoutByteOrderMark(content.text),
  };
}

function refuseBadContent(content: Content, later: DraftOptions['later']): void {
  const problem = checkContent(content);
  if (problem instanceof Promise) later(problem);
  else if (problem !== null) throw contentRefusal(problem);
}

export function contentRefusal({ field, message, code }: ContentProblem): PostriderError {
  return invalidPayload(field, message.slice(field.length + 1), code);
}

function expiryAfter(from: number, choices: TypeChoices | undefined): Date | null {
  return choices?.expiresInMs == null ? null : new Date(from + choices.expiresInMs);
}
