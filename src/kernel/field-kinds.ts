import { z } from 'zod';
import { MAX_MAILBOX_LENGTH, MAX_NAME_LENGTH, parseMailbox, parseMailboxes } from './email-address.js';
import { messageOf } from './errors.js';
import { MAX_HEADERS, MAX_VALUE_LENGTH, parseHeaders } from './header-text.js';
import { isUuid } from './ids.js';
import { invalidPayload, parseChoice, parseLine, parsePattern, parseString } from './input-fields.js';
import { type JsonLimits, parseJsonObject } from './input-json.js';
import type { Mailbox } from './mailbox.js';

/**
 * A field of a body from outside, declared once: `read` is what checks it, `schema` what the description of the API
 * shows of the same limits. The reader is plain code, because every email passes it and a schema's own costs several
 * times as much; the schema asks the reader as well, so the two cannot come apart. What two fields say together is
 * not said here.
 */
export interface Field<T> {
  /** Throws with the field's name. Absent is not said: null, or empty where it is a list or an object. */
  read(input: unknown, field: string): T;
  readonly schema: z.ZodType;
}

export const field = {
  /** Any text the store can hold. */
  text: (says?: string): Field<string | null> => declare(z.string(), parseString, says),
  /** One line of 1 to `maxLength` characters. */
  line: (maxLength: number, says?: string): Field<string | null> =>
    declare(z.string().min(1).max(maxLength), (input, name) => parseLine(input, name, maxLength), says),
  pattern: (pattern: RegExp, meaning: string, says: string = meaning): Field<string | null> =>
    declare(z.string().regex(pattern), (input, name) => parsePattern(input, name, pattern, meaning), says),
  choice: <T extends string>(choices: readonly T[], says?: string): Field<T | null> =>
    declare(
      z.enum(choices as readonly [T, ...T[]]),
      (input, name) => parseChoice(input, name, choices),
      says,
    ),
  /** One of a few numbers. */
  number: <T extends number>(choices: readonly T[], says?: string): Field<T | null> => {
    const meaning = `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
    return declare(
      z.literal(choices as readonly [T, ...T[]]),
      (input, name) => {
        if (input === undefined) return null;
        if (choices.includes(input as T)) return input as T;
        throw invalidPayload(name, meaning);
      },
      says,
    );
  },
  /** True or false; absent is false. */
  flag: (says?: string): Field<boolean> =>
    declare(
      z.boolean(),
      (input, name) => {
        if (input === undefined || input === null) return false;
        if (typeof input === 'boolean') return input;
        throw invalidPayload(name, 'must be true or false');
      },
      says,
    ),
  uuid: (meaning = 'a UUID'): Field<string | null> =>
    declare(z.uuid(), (input, name) => {
      if (input === undefined) return null;
      if (isUuid(input)) return input;
      throw invalidPayload(name, `must be ${meaning}`);
    }),
  mailbox: (): Field<Mailbox> => ({ read: parseMailbox, schema: MAILBOX }),
  /** One or several; `min` is for those who must be there. */
  mailboxes: (max: number, { min = 0 }: { min?: 0 | 1 } = {}): Field<Mailbox[]> => ({
    read(input, name) {
      if (min > 0 && input === undefined) throw invalidPayload(name, 'is missing');
      const mailboxes = parseMailboxes(input, name, max);
      if (mailboxes.length < min) throw invalidPayload(name, 'has no address');
      return mailboxes;
    },
    schema: z.union([MAILBOX, z.array(MAILBOX).min(min).max(max)]),
  }),
  headers: (): Field<Record<string, string>> =>
    declare(
      z.record(z.string(), z.string().max(MAX_VALUE_LENGTH)),
      parseHeaders,
      `At most ${MAX_HEADERS}; those Postrider writes itself are refused.`,
    ),
  /** A JSON object of the caller's own making. */
  json: (limits: JsonLimits): Field<Record<string, unknown>> =>
    declare(
      z.record(z.string(), z.unknown()),
      (input, name) => parseJsonObject(input, name, limits),
      `At most ${limits.maxBytes / 1024} KB, ${limits.maxDepth} levels deep.`,
    ),
  /** Whatever else a reader of its own checks, shown as `shown`. */
  own: <T>(shown: z.ZodType, read: Field<T>['read'], says?: string): Field<T> => declare(shown, read, says),
} as const;

/** An object of such fields and no others; null is as good as absent, but for those in `neverNull`. */
export function fieldsSchema(
  fields: Readonly<Record<string, Pick<Field<unknown>, 'schema'>>>,
  options: { required?: readonly string[]; neverNull?: readonly string[]; id?: string } = {},
): z.ZodObject {
  const { required = [], neverNull = [], id } = options;
  const shape = Object.entries(fields).map(([name, { schema }]) => {
    const absent = neverNull.includes(name) ? schema.optional() : schema.nullish();
    return [name, required.includes(name) ? schema : absent];
  });
  const whole = z.strictObject(Object.fromEntries(shape));
  return id === undefined ? whole : (whole.meta({ id }) as z.ZodObject);
}

function declare<T>(shown: z.ZodType, read: Field<T>['read'], says?: string): Field<T> {
  const schema = agreeing(shown, read);
  return { read, schema: says === undefined ? schema : schema.describe(says) };
}

function agreeing(shown: z.ZodType, read: Field<unknown>['read']): z.ZodType {
  return shown.superRefine((value, context) => {
    try {
      read(value, 'it');
    } catch (error) {
      context.addIssue({ code: 'custom', message: messageOf(error) });
    }
  });
}

const address = z.string().max(MAX_MAILBOX_LENGTH).describe('name@domain, or Name <name@domain>');
const name = z.string().max(MAX_NAME_LENGTH).nullish();
const bare = z.string().describe('name@domain');
const MAILBOX = agreeing(
  z.union([address, z.strictObject({ address: bare, name }), z.strictObject({ email: bare, name })]),
  parseMailbox,
).meta({ id: 'Mailbox' });
