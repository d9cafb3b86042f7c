/** Pieces of the API that several routes share, as Zod schemas; each becomes a named component of the document. */
import { z } from 'zod';
import { EMAIL_FIELDS } from '../../../intake/index.js';
import { field } from '../../../kernel/index.js';

const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;

export const text = (max: number) => z.string().min(1).max(max);
export const { schema: companyId } = EMAIL_FIELDS.companyId;
export const typeName = EMAIL_FIELDS.type.schema.describe('The name of a type.');
export const { schema: languageTag } = EMAIL_FIELDS.lang;
export const instant = z.iso.datetime({ offset: true });
export const address = z
  .string()
  .max(1024)
  .regex(/^[^\u0000-\u001f]*[^\s@]+@[^\s@]+$/);
export const anyObject = z.record(z.string(), z.unknown());

export const mailbox = field.mailbox().schema;

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
