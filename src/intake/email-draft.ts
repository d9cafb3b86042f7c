import {
  type Fields,
  invalidPayload,
  isSameAddress,
  isUuid,
  type Mailbox,
  type PostriderError,
  parseChoice,
  parseHeaders,
  parseJsonObject,
  parseLine,
  parseMailbox,
  parseMailboxes,
  parsePattern,
  parseString,
  REGION_NAME,
  readFields,
} from '../kernel/index.js';
import type { DeliveryMode, NewEmail, Priority } from '../outbox/index.js';
import { checkContent, isBlank, MAX_BODY_BYTES, RETRY_PRESETS } from '../policy/index.js';
import { deriveHtml, deriveText } from '../render/index.js';
import { parseAttachments } from './draft-attachments.js';
import { parseTimes } from './draft-times.js';
import type { RenderTyped, TypeChoices, TypedContent } from './render-typed.js';

/**
 * The body of `POST /v1/email/send` and the argument of `send()`, from unknown input to a draft every later step can
 * trust: addresses and headers safe on the wire, text the store can hold, content within the rules, the missing part
 * derived. Throws the first problem with its field. Refuses unknown keys; never trims, guesses or repairs.
 */
export function parseEmailDraft(input: unknown, now: number, typed?: RenderTyped): EmailDraft {
  const fields = readFields(input, '', KEYS);
  const recipients = parseRecipients(fields);
  const { type, data } = parseType(fields);
  const times = parseTimes(fields.scheduledAt, fields.expiresAt, now);
  const companyId = parseCompanyId(fields.companyId);
  const lang = parsePattern(fields.lang, 'lang', LANGUAGE_TAG, 'a language tag such as en or pt-BR');
  const attachments = parseAttachments(fields.attachments);
  const content = parseContent(fields, (problem) => {
    if (type === null || typed === undefined) throw problem();
    return typed({
      type,
      data,
      companyId,
      lang,
      attachments,
      at: now,
      soleAddress: soleAddressOf(recipients),
    });
  });
  const { choices } = content;
  const { recipientId, recipientExternalId } = parseRecipientIds(fields.recipient, recipients.to);
  // Written out, not copied together: it is made for every email.
  return {
    companyId,
    type,
    lang,
    region: parsePattern(fields.region, 'region', REGION_NAME, 'the name of a region such as ind1'),
    userId: parseLine(fields.userId, 'userId', MAX_ID_LENGTH),
    recipientId,
    recipientExternalId,
    from: fields.from === undefined ? null : parseMailbox(fields.from, 'from'),
    replyTo: parseMailboxes(fields.replyTo, 'replyTo', MAX_REPLY_TO),
    to: recipients.to,
    cc: recipients.cc,
    bcc: recipients.bcc,
    headers: parseHeaders(fields.headers, 'headers'),
    category: parsePattern(fields.category, 'category', CATEGORY, 'a word such as newsletter'),
    attachments: content.attachments ?? attachments,
    subject: content.subject,
    html: content.html,
    text: content.text,
    priority: parsePriority(fields.priority) ?? choices?.priority ?? null,
    scheduledAt: times.scheduledAt,
    expiresAt: times.expiresAt ?? expiryAfter(times.scheduledAt?.getTime() ?? now, choices),
    metadata: parseJsonObject(fields.metadata, 'metadata', METADATA_LIMITS),
    delivery: parseChoice(fields.delivery, 'delivery', DELIVERY_MODES) ?? choices?.delivery ?? null,
    sensitive: choices?.sensitive ?? false,
    retry: parseChoice(fields.retry, 'retry', RETRY_NAMES) ?? choices?.retry ?? null,
  };
}

/** Whose email it is, read before anything else of it is known to hold. */
export function readCompanyId(input: unknown): string | null {
  if (typeof input !== 'object' || input === null || !Object.hasOwn(input, 'companyId')) return null;
  return parseCompanyId((input as Fields).companyId ?? undefined);
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

const KEYS = [
  ...[
    'to',
    'subject',
    'html',
    'text',
    'from',
    'replyTo',
    'cc',
    'bcc',
    'headers',
    'attachments',
    'type',
    'data',
    'category',
  ],
  ...[
    'lang',
    'companyId',
    'region',
    'userId',
    'recipient',
    'priority',
    'scheduledAt',
    'expiresAt',
    'delivery',
    'retry',
    'metadata',
  ],
];
const RECIPIENT_KEYS = ['recipientId', 'externalId', 'email'];

const MAX_RECIPIENTS = 50;
const MAX_REPLY_TO = 10;
const MAX_ID_LENGTH = 128;
const METADATA_LIMITS = { maxBytes: 8 * 1024, maxDepth: 5 };
const DATA_LIMITS = { maxBytes: 256 * 1024, maxDepth: 10 };
const COMPANY_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const CATEGORY = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const TYPE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const LANGUAGE_TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
const DELIVERY_MODES: readonly DeliveryMode[] = ['at-least-once', 'at-most-once'];
const RETRY_NAMES = Object.keys(RETRY_PRESETS);

function parseCompanyId(input: unknown): string | null {
  return parsePattern(
    input,
    'companyId',
    COMPANY_ID,
    '1 to 128 letters, digits, dots, colons, hyphens or underscores',
  );
}

function parseRecipients(fields: Fields): Pick<EmailDraft, 'to' | 'cc' | 'bcc'> {
  if (fields.to === undefined) throw invalidPayload('to', 'is missing');
  const to = parseMailboxes(fields.to, 'to', MAX_RECIPIENTS);
  if (to.length === 0) throw invalidPayload('to', 'has no address');
  const cc = parseMailboxes(fields.cc, 'cc', MAX_RECIPIENTS);
  const bcc = parseMailboxes(fields.bcc, 'bcc', MAX_RECIPIENTS);
  if (to.length + cc.length + bcc.length > MAX_RECIPIENTS)
    throw invalidPayload('to', `, cc and bcc have more than ${MAX_RECIPIENTS} addresses in all`);
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
  const { address } = parseMailbox(fields.email, 'recipient.email');
  if (to.length !== 1 || !isSameAddress(address, to[0]!.address))
    throw invalidPayload('recipient.email', 'must be the one address in to');
  const recipientId = fields.recipientId ?? null;
  if (recipientId !== null && !isUuid(recipientId))
    throw invalidPayload('recipient.recipientId', 'must be a UUID');
  const recipientExternalId = parseLine(fields.externalId, 'recipient.externalId', MAX_ID_LENGTH);
  if (recipientId === null && recipientExternalId === null)
    throw invalidPayload('recipient', 'needs a recipientId or an externalId');
  return { recipientId, recipientExternalId };
}

/** A type given with content is a label; `data` belongs to a type and is checked even where content makes it unneeded. */
function parseType(fields: Fields): { type: string | null; data: Record<string, unknown> } {
  const type = parsePattern(
    fields.type,
    'type',
    TYPE,
    'a letter and up to 63 letters, digits, dots, hyphens or underscores',
  );
  if (fields.data !== undefined && type === null)
    throw invalidPayload('data', 'is only possible together with type');
  return { type, data: parseJsonObject(fields.data, 'data', DATA_LIMITS) };
}

function parseContent(
  fields: Fields,
  withoutBody: (problem: () => PostriderError) => TypedContent,
): TypedContent {
  const html = parseString(fields.html, 'html') ?? '';
  const text = parseString(fields.text, 'text') ?? '';
  const hasBody = !isBlank(html) || !isBlank(text);
  if (!hasBody && fields.type !== undefined) {
    // Made only when needed: an error with its stack costs more than most of the parsing.
    const typed = withoutBody(() =>
      invalidPayload('type', 'has no template; send html or text along', 'UNKNOWN_TYPE'),
    );
    if (fields.subject !== undefined)
      throw invalidPayload('subject', "comes from the type's template; leave it out");
    refuseBadContent(typed);
    return typed;
  }
  const subject = parseString(fields.subject, 'subject');
  if (subject === null) throw invalidPayload('subject', 'is missing');
  refuseBadContent({ subject, html, text });
  if (isBlank(text)) return { subject, html, text: deriveText(html) };
  if (!isBlank(html)) return { subject, html, text };
  const derived = deriveHtml(text);
  // Escaping can make HTML several times as long as its text.
  if (Buffer.byteLength(derived) > MAX_BODY_BYTES)
    throw invalidPayload('text', 'is too long to derive html from; send html along', 'INVALID_TEMPLATE');
  return { subject, html: derived, text };
}

function refuseBadContent(content: { subject: string; html: string; text: string }): void {
  const problem = checkContent(content);
  if (problem !== null)
    throw invalidPayload(problem.field, problem.message.slice(problem.field.length + 1), problem.code);
}

function expiryAfter(from: number, choices: TypeChoices | undefined): Date | null {
  return choices?.expiresInMs == null ? null : new Date(from + choices.expiresInMs);
}

function parsePriority(input: unknown): Priority | null {
  if (input === undefined) return null;
  if (input === 1 || input === 2 || input === 3 || input === 4) return input;
  throw invalidPayload('priority', 'must be 1, 2, 3 or 4');
}
