import {
  CONTENT_ID,
  CONTENT_TYPE,
  findFilenameProblem,
  isDisplayName,
  isEmailAddress,
  isUuid,
  type Mailbox,
  messageOf,
  parseHeaders,
} from '../kernel/index.js';
import { hashContent, type OpenedEmail, recipientsOf, type StoredAttachment } from '../outbox/index.js';
import { type ContentProblem, checkContent, findNotAllowed, findRetryPreset } from '../policy/index.js';

/**
 * The four validations of the pipeline, in order. Content that passed intake is compared by hash;
 * content that came by SQL is checked in full here, with a promise where it needs a closer look.
 */
export interface ValidationFailure {
  type: 'INTEGRITY' | 'OUTBOX' | 'RECIPIENT' | 'TEMPLATE';
  code:
    | 'INVALID_PAYLOAD'
    | 'OUTBOX_NOT_FOUND'
    | 'RECIPIENT_NOT_FOUND'
    | 'RECIPIENT_NOT_ALLOWED'
    | 'INVALID_EMAIL'
    | 'INVALID_TEMPLATE';
  message: string;
}

export function validateEmail(
  email: OpenedEmail,
  known: { recipientMissing: boolean; allowedDomains: readonly string[] | null },
): ValidationFailure | null | Promise<ValidationFailure | null> {
  return (
    checkOutbox(email) ??
    checkReadable(email) ??
    checkIntegrity(email) ??
    checkRecipient(email, known) ??
    checkTemplate(email)
  );
}

function checkOutbox(email: OpenedEmail): ValidationFailure | null {
  if (email.found) return null;
  return { type: 'OUTBOX', code: 'OUTBOX_NOT_FOUND', message: 'the queue row has no email behind it' };
}

/** Only a row that no way in has accepted can be so. */
function checkReadable({ unreadable }: OpenedEmail): ValidationFailure | null {
  if (unreadable === null) return null;
  const { part, why } = unreadable;
  const message = `${part} ${why === 'too-large' ? 'is larger than any that is sent' : 'is not in the form it is kept in'}`;
  return CONTENT_PARTS.has(part)
    ? { type: 'TEMPLATE', code: 'INVALID_TEMPLATE', message }
    : { type: 'INTEGRITY', code: 'INVALID_PAYLOAD', message };
}

const CONTENT_PARTS = new Set(['subject', 'html', 'text', 'attachments']);

function checkIntegrity(email: OpenedEmail): ValidationFailure | null {
  const fail = (message: string): ValidationFailure => ({
    type: 'INTEGRITY',
    code: 'INVALID_PAYLOAD',
    message,
  });
  const { message } = email;
  if (!isUuid(email.id) || email.tenant === '') return fail('id or company is missing');
  if (!findRetryPreset(email.retry))
    return fail(`there is no retry preset named ${email.retry.slice(0, 40)}`);
  if (!Array.isArray(message.to)) return fail('there is no recipient');
  // Only where To says something else may nobody in it be reached.
  const [first] = message.headerRecipients ? recipientsOf(message) : message.to;
  if (!first) return fail('there is no recipient');
  if (first.address !== email.to) return fail('the address of the message is not the one accepted');
  if (email.remaining !== null && hasOthers(email.remaining, message))
    return fail('an address still to be reached is not among its recipients');
  const problem = findHeaderProblem(message.headers);
  return problem === null ? null : fail(problem);
}

function hasOthers(remaining: readonly string[], { to, cc = [], bcc = [] }: OpenedEmail['message']): boolean {
  const recipients = new Set([...to, ...cc, ...bcc].map(({ address }) => address));
  return remaining.some((address) => !recipients.has(address));
}

/** The rules are intake's: SQL is no way round them. */
function findHeaderProblem(headers: unknown): string | null {
  try {
    parseHeaders(headers, 'headers', ADDED_AT_INTAKE);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** List-Unsubscribe, whose value is a link, and List-Unsubscribe-Post. */
const ADDED_AT_INTAKE = { headers: 2, bytes: 2200 };

function checkRecipient(
  email: OpenedEmail,
  known: { recipientMissing: boolean; allowedDomains: readonly string[] | null },
): ValidationFailure | null {
  const { to, cc = [], bcc = [], from, replyTo = [], headerRecipients } = email.message;
  const bad =
    findBadAddress('to', to) ??
    findBadAddress('cc', cc) ??
    findBadAddress('bcc', bcc) ??
    findBadAddress('headerRecipients.to', headerRecipients?.to ?? []) ??
    findBadAddress('headerRecipients.cc', headerRecipients?.cc ?? []) ??
    findBadAddress('replyTo', replyTo) ??
    (from && findBadAddress('from', [from]));
  if (bad) return { type: 'RECIPIENT', code: 'INVALID_EMAIL', message: bad };
  const recipients = [...to, ...cc, ...bcc].map((mailbox) => mailbox.address);
  if (findNotAllowed(recipients, known.allowedDomains) !== null) {
    const message = 'a recipient is outside the domains that may be written to';
    return { type: 'RECIPIENT', code: 'RECIPIENT_NOT_ALLOWED', message };
  }
  if (!known.recipientMissing) return null;
  return {
    type: 'RECIPIENT',
    code: 'RECIPIENT_NOT_FOUND',
    message: 'the recipient does not exist, was deleted, or has another company or address',
  };
}

function findBadAddress(field: string, mailboxes: readonly Mailbox[]): string | null {
  const at = mailboxes.findIndex(
    ({ address, name = '' }) => !isEmailAddress(address) || !isDisplayName(name),
  );
  if (at < 0) return null;
  const named = mailboxes.length === 1 ? field : `${field}[${at}]`;
  return isEmailAddress(mailboxes[at]!.address)
    ? `${named} has a name that is too long or holds a control character`
    : `${named} is not an email address`;
}

function checkTemplate(email: OpenedEmail): ValidationFailure | null | Promise<ValidationFailure | null> {
  const fail = (message: string): ValidationFailure => ({
    type: 'TEMPLATE',
    code: 'INVALID_TEMPLATE',
    message,
  });
  if (!email.body) return fail('there is no content');
  const bad = email.body.attachments.findIndex((file) => !mayBeAttached(file));
  if (bad >= 0) return fail(`attachments[${bad}] has a name, type or content id that no file may have`);
  const content = { subject: email.subject, html: email.body.html, text: email.body.text };
  if (email.contentHash !== null) {
    return hashContent(content) === email.contentHash ? null : fail('the content is not the one accepted');
  }
  const judgement = checkContent(content);
  const told = (problem: ContentProblem | null) => (problem === null ? null : fail(problem.message));
  return judgement instanceof Promise ? judgement.then(told) : told(judgement);
}

/** The content is compared by hash, its files are not. */
function mayBeAttached({ filename, contentType, contentId }: StoredAttachment): boolean {
  return (
    findFilenameProblem(filename) === null &&
    CONTENT_TYPE.test(contentType) &&
    (contentId === undefined || CONTENT_ID.test(contentId))
  );
}
