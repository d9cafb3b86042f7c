/** Pieces of the API that several routes share, as Zod schemas; each becomes a named component of the document. */
import { z } from 'zod';

const named = <T extends z.ZodType>(id: string, schema: T): T => schema.meta({ id }) as T;

export const instant = z.iso.datetime({ offset: true });
export const anyObject = z.record(z.string(), z.unknown());

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
/** Of a row that was written by hand or by older code a time may be one that no calendar has. */
export const shownInstant = z
  .string()
  .refine((text) => instant.safeParse(text).success || !/^\d{4}-\d\d-\d\dT/.test(text))
  .meta({ format: 'date-time' })
  .describe('ISO 8601. A time that no calendar has is shown as PostgreSQL writes it, such as infinity.');
const time = shownInstant.nullable();

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
    ...{
      parked: z.boolean(),
      scheduledAt: time,
      expiresAt: time,
      nextAttemptAt: time,
      createdAt: shownInstant,
    },
    ...{ updatedAt: shownInstant, processedAt: time, sentAt: time, failedAt: time },
  }),
);

export const event = named(
  'Event',
  z.strictObject({
    ...{
      emailLogId: z.uuid(),
      sequence: z.int(),
      type: z.string(),
      metadata: anyObject,
      createdAt: shownInstant,
    },
  }),
);

/** An address with its name, as emails have it. */
export const mailbox = z.strictObject({ address: z.string(), name: z.string().nullish() });

export const attempt = named(
  'Attempt',
  z.strictObject({
    ...{ attempt: z.int(), status: z.string(), provider: word, route: z.string(), messageId: word },
    ...{ errorCode: word, errorCategory: word, errorMessage: word, startedAt: shownInstant },
    ...{ durationMs: z.number(), nextAttemptAt: time, detail: anyObject.nullable() },
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
