/** Pieces of the API that several routes share, as Zod schemas; each becomes a named component of the document. */
import { z } from 'zod';
import { REGION_NAME } from '../../../kernel/index.js';
import { RETRY_PRESETS } from '../../../policy/index.js';

const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;

export const text = (max: number) => z.string().min(1).max(max);
export const companyId = z.string().regex(/^[A-Za-z0-9._:-]{1,128}$/);
export const typeName = z.string().regex(/^[A-Za-z][A-Za-z0-9_.-]{0,63}$/);
export const languageTag = z
  .string()
  .regex(/^[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/)
  .max(35);
export const instant = z.iso.datetime({ offset: true });
export const address = z
  .string()
  .max(1024)
  .regex(/^[^\u0000-\u001f]*[^\s@]+@[^\s@]+$/);
export const anyObject = z.record(z.string(), z.unknown());

export const mailbox = named(
  'Mailbox',
  z.union([address, z.strictObject({ address, name: z.string().max(256).nullish() })]),
);
const mailboxes = z.union([mailbox, z.array(mailbox).max(50)]);

export const attachment = named(
  'Attachment',
  z.strictObject({
    filename: text(255),
    content: z.string().describe('base64'),
    contentType: z
      .string()
      .regex(/^[^\s/]+\/\S.*$/)
      .max(255)
      .nullish(),
    contentId: z
      .string()
      .regex(/^[^\s<>]{1,128}$/)
      .nullish(),
  }),
);

/** The body of a send, as email-draft.ts checks it; what two fields say together is said there alone. */
export const emailInput = named(
  'EmailInput',
  z.strictObject({
    to: z.union([mailbox, z.array(mailbox).min(1).max(50)]),
    subject: z.string().nullish().describe("Needed with html or text; a type's template has its own."),
    html: z.string().nullish(),
    text: z.string().nullish(),
    type: typeName
      .nullish()
      .describe('With data it is rendered by its template; with content it is a label.'),
    data: anyObject.nullish(),
    from: mailbox.nullish(),
    replyTo: mailboxes.nullish(),
    cc: mailboxes.nullish(),
    bcc: mailboxes.nullish(),
    headers: z.record(z.string(), z.string()).nullish(),
    attachments: z.array(attachment).max(20).nullish(),
    category: typeName.nullish(),
    lang: languageTag.nullish(),
    companyId: companyId.nullish(),
    region: z.string().regex(REGION_NAME).nullish().describe('Where it is kept, of those served.'),
    userId: text(128).nullish(),
    recipient: z
      .strictObject({
        recipientId: z.uuid().nullish(),
        externalId: text(128).nullish(),
        email: mailbox,
      })
      .nullish(),
    priority: z
      .union([z.literal(1), z.literal(2), z.literal(3), z.literal(4)])
      .nullish()
      .describe('1 critical, 2 high, 3 normal, 4 low'),
    scheduledAt: instant.nullish(),
    expiresAt: instant.nullish(),
    delivery: z.enum(['at-least-once', 'at-most-once']).nullish(),
    retry: z.enum(Object.keys(RETRY_PRESETS) as [string, ...string[]]).nullish(),
    metadata: anyObject.nullish(),
  }),
);

export const accepted = named(
  'Accepted',
  z.strictObject({
    queued: z.boolean(),
    emailId: z.uuid(),
    requestId: z.string(),
    status: z.enum(['pending', 'scheduled', 'suppressed']),
    rateLimit: z.strictObject({ limit: z.int(), remaining: z.int(), resetAt: instant.nullable() }).optional(),
  }),
);

const word = z.string().nullable();
const time = instant.nullable();

export const email = named(
  'Email',
  z.strictObject({
    ...{
      id: z.uuid(),
      outboxId: z.uuid(),
      companyId: z.string(),
      recipientId: word,
      recipientExternalId: word,
    },
    ...{ userId: word, to: z.string(), subject: z.string(), type: word, lang: word, status: z.string() },
    ...{ provider: word, messageId: word, sesMessageId: word, errorCode: word, errorCategory: word },
    ...{ errorReason: word, lastError: word, attempts: z.int(), maxAttempts: z.int() },
    ...{ durationMs: z.number().nullable(), requestId: z.string(), priority: z.int(), delivery: z.string() },
    ...{ retry: z.string(), route: z.string(), metadata: anyObject, possibleDuplicate: z.boolean() },
    ...{ parked: z.boolean(), scheduledAt: time, expiresAt: time, nextAttemptAt: time, createdAt: instant },
    ...{ updatedAt: instant, processedAt: time, sentAt: time, failedAt: time },
  }),
);

export const event = named(
  'Event',
  z.strictObject({
    ...{ emailLogId: z.uuid(), sequence: z.int(), type: z.string(), metadata: anyObject, createdAt: instant },
  }),
);

/** RFC 9457; `code` is from one table. */
export const problemDetails = named(
  'Problem',
  z.strictObject({
    ...{ type: z.string(), title: z.string(), status: z.int(), code: z.string() },
    ...{ field: z.string().optional(), detail: z.string(), help: z.string(), requestId: z.string() },
    rateLimit: anyObject.optional(),
  }),
);

/** The query of lists: every filter a text, numbers as digits. */
const digits = (max: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/)
    .describe(`a whole number up to ${max}`);
const moment = z.string().describe('ISO 8601 with an offset, or a day such as 2030-01-31 (UTC)');
export const filters = {
  ...{ companyId: text(1000), status: z.string(), type: text(1000), recipient: address },
  ...{ days: z.string().describe('a number above 0 and up to 3650'), from: moment, to: moment },
};
export const logFilters = { ...filters, userId: text(1000), provider: text(1000), messageId: text(1000) };
export const paging = { limit: digits(200), cursor: z.uuid() };
export const pageNumber = { page: digits(200) };
export const query = (shape: z.ZodRawShape) => z.strictObject(shape).partial();

/** The same filters in a body. */
export const filterObject = z
  .strictObject({
    ...{ companyId: text(1000), type: text(1000), recipient: mailbox, days: z.number().positive().max(3650) },
    ...{
      status: z.enum(['scheduled', 'pending', 'retry', 'processing', 'all']),
      from: z.string(),
      to: z.string(),
    },
  })
  .partial();
export const deadLetterFilter = filterObject.extend({
  status: z.enum(['failed', 'unknown', 'all']).optional(),
  errorCode: text(1000).optional(),
});
