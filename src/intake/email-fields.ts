import { z } from 'zod';
import { field, fields, invalidPayload, needed, PostriderError, REGION_NAME } from '../kernel/index.js';
import type { DeliveryMode, HeaderRecipients, Priority } from '../outbox/index.js';
import { RETRY_PRESETS, type RetryPresetName } from '../policy/index.js';
import { ATTACHMENTS } from './draft-attachments.js';
import { INSTANT } from './draft-times.js';

/**
 * Every field an email may have when it is handed in: `email-draft.ts` reads with these, and the description of the
 * API is made of them. There is no other list.
 */
export const MAX_RECIPIENTS = 50;

/** Of one message that comes as such, by SMTP or nodemailer, and becomes several emails. */
export const MAX_MESSAGE_RECIPIENTS = 1000;
/** Of To, and of Cc, as a message of several emails shows them; together they stand in each of its rows. */
const MAX_SHOWN_BYTES = 256 * 1024;
const MAX_REPLY_TO = 10;
const MAX_ID_LENGTH = 128;
const NAME = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const PRIORITIES: readonly Priority[] = [1, 2, 3, 4];
const DELIVERY_MODES: readonly DeliveryMode[] = ['at-least-once', 'at-most-once'];
const RETRY_NAMES = Object.keys(RETRY_PRESETS) as RetryPresetName[];

/** `recipient` names the one person in `to`, by our id or by the application's. */
export const RECIPIENT_FIELDS = {
  recipientId: field.uuid(),
  externalId: field.line(MAX_ID_LENGTH),
  email: needed(field.mailbox()),
} as const;

export const EMAIL_FIELDS = {
  to: needed(field.mailboxes(MAX_RECIPIENTS, { min: 1 })),
  subject: field.text("Needed with html or text; a type's template has its own."),
  html: field.text('At least one of html and text; the other is derived.'),
  text: field.text(),
  type: field.pattern(
    NAME,
    'a letter and up to 63 letters, digits, dots, hyphens or underscores',
    'With data it is rendered by its template; with content it is a label.',
  ),
  data: field.json({ maxBytes: 256 * 1024, maxDepth: 10 }),
  from: field.mailbox(),
  replyTo: field.mailboxes(MAX_REPLY_TO),
  cc: field.mailboxes(MAX_RECIPIENTS),
  bcc: field.mailboxes(MAX_RECIPIENTS),
  headers: field.headers(),
  attachments: ATTACHMENTS,
  category: field.pattern(NAME, 'a word such as newsletter'),
  lang: field.pattern(
    /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/,
    'a language tag such as en or pt-BR',
  ),
  companyId: field.pattern(
    /^[A-Za-z0-9._:-]{1,128}$/,
    '1 to 128 letters, digits, dots, colons, hyphens or underscores',
  ),
  region: field.pattern(
    REGION_NAME,
    'the name of a region such as ind1',
    'Where it is kept, of those served.',
  ),
  userId: field.line(MAX_ID_LENGTH),
  recipient: fields(RECIPIENT_FIELDS, { nullIsAbsent: true }),
  priority: field.number(PRIORITIES, '1 critical, 2 high, 3 normal, 4 low'),
  scheduledAt: INSTANT,
  expiresAt: INSTANT,
  delivery: field.choice(DELIVERY_MODES),
  retry: field.choice(RETRY_NAMES),
  metadata: field.json({ maxBytes: 8 * 1024, maxDepth: 5 }),
} as const;

/** `to` of an email whose header says something else: the others it reaches may stand in cc and bcc. */
export const UNNAMED_TO = field.mailboxes(MAX_RECIPIENTS);

const SHOWN = fields({
  to: field.mailboxes(MAX_MESSAGE_RECIPIENTS),
  cc: field.mailboxes(MAX_MESSAGE_RECIPIENTS),
});

export function parseHeaderRecipients(input: unknown): HeaderRecipients | null {
  if (input === undefined) return null;
  const { to = [], cc = [] } = SHOWN.read(input, 'headerRecipients');
  const shown = { to, cc };
  if (Buffer.byteLength(JSON.stringify(shown)) > MAX_SHOWN_BYTES)
    throw invalidPayload(
      'headerRecipients',
      `has more than ${MAX_SHOWN_BYTES / 1024} KB of names and addresses`,
    );
  return shown;
}

/** Of one batch. */
export const MAX_BATCH = 1000;

/** For whoever describes the API; a draft reads them one by one, which is faster. */
export const EMAIL_INPUT = fields(EMAIL_FIELDS, { nullIsAbsent: true, id: 'EmailInput' });

/** A batch is the list itself; what stands in it is read email by email. */
export const EMAIL_BATCH = field.own(
  () => z.array(EMAIL_INPUT.schema).min(1).max(MAX_BATCH),
  (input, name): unknown[] => {
    if (!Array.isArray(input) || input.length === 0)
      throw invalidPayload(name, 'The body must be a list of emails.');
    if (input.length > MAX_BATCH)
      throw new PostriderError('INVALID_PAYLOAD', `A batch holds at most ${MAX_BATCH} emails.`, {
        field: 'emails',
      });
    return input;
  },
);
