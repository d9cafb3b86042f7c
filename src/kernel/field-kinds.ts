import { z } from 'zod';
import { declare, type Field } from './declare-field.js';
import { MAX_MAILBOX_LENGTH, MAX_NAME_LENGTH, parseMailbox, parseMailboxes } from './email-address.js';
import { MAX_HEADERS, MAX_VALUE_LENGTH, parseHeaders } from './header-text.js';
import { isUuid } from './ids.js';
import { invalidPayload, parseChoice, parseLine, parsePattern, parseString } from './input-fields.js';
import { type JsonLimits, parseJsonObject } from './input-json.js';
import { DAY_OR_INSTANT, ISO_WITH_OFFSET, parseInstant, parseMoment } from './instant.js';
import type { Mailbox } from './mailbox.js';

/**
 * A field of a request, by its kind: `read` is what checks it, `schema` what the description of the API shows of the
 * same limits (`declare-field.ts`). Absent is read as null, or as empty where it is a list or an object.
 */
export const field = {
  /** Any text the store can hold. */
  text: (says?: string): Field<string | null> => declare(() => z.string(), parseString, says),
  /** One line of 1 to `maxLength` characters. */
  line: (maxLength: number, says?: string): Field<string | null> =>
    declare(
      () => z.string().min(1).max(maxLength),
      (input, name) => parseLine(input, name, maxLength),
      says,
    ),
  pattern: (pattern: RegExp, meaning: string, says: string = meaning): Field<string | null> =>
    declare(
      () => z.string().regex(pattern),
      (input, name) => parsePattern(input, name, pattern, meaning),
      says,
    ),
  choice: <T extends string>(choices: readonly T[], says?: string): Field<T | null> =>
    declare(
      () => z.enum(choices as readonly [T, ...T[]]),
      (input, name) => parseChoice(input, name, choices),
      says,
    ),
  /** One of a few numbers. */
  number: <T extends number>(choices: readonly T[], says?: string): Field<T | null> => {
    const meaning = `must be ${choices.slice(0, -1).join(', ')} or ${choices.at(-1)}`;
    return declare(
      () => z.literal(choices as readonly [T, ...T[]]),
      (input, name) => {
        if (input === undefined) return null;
        if (choices.includes(input as T)) return input as T;
        throw invalidPayload(name, meaning);
      },
      says,
    );
  },
  /** A whole number within its limits. */
  whole: (min: number, max: number, says?: string): Field<number | null> =>
    declare(
      () => z.int().min(min).max(max),
      (input, name) => {
        if (input === undefined) return null;
        if (Number.isInteger(input) && Number(input) >= min && Number(input) <= max) return Number(input);
        throw invalidPayload(name, `must be a whole number from ${min} to ${max}`);
      },
      says,
    ),
  /** A list of one kind; `meaning` is what it is a list of. */
  list: <T>(
    of: Field<T>,
    meaning: string,
    { min, max }: { min: number; max: number },
  ): Field<Array<NonNullable<T>>> =>
    declare(
      () => z.array(of.schema).min(min).max(max),
      (input, name) => {
        if (!Array.isArray(input) || input.length < min || input.length > max)
          throw invalidPayload(name, `must be a list of ${min} to ${max} ${meaning}`);
        // Array.from, because map would pass over what a sparse list does not have.
        return Array.from(input, (one, index) => {
          const at = `${name}[${index}]`;
          if (one === undefined) throw invalidPayload(at, 'is missing');
          return of.read(one, at)!;
        });
      },
    ),
  /** True or false; absent, or null, is false. */
  flag: (says?: string): Field<boolean> =>
    declare(
      () => z.boolean().nullable(),
      (input, name) => {
        if (input === undefined || input === null) return false;
        if (typeof input === 'boolean') return input;
        throw invalidPayload(name, 'must be true or false');
      },
      says,
    ),
  uuid: (meaning = 'a UUID'): Field<string | null> =>
    declare(
      () => z.guid(),
      (input, name) => {
        if (input === undefined) return null;
        if (isUuid(input)) return input;
        throw invalidPayload(name, `must be ${meaning}`);
      },
    ),
  /** ISO 8601 with an offset, or a Date. */
  moment: (says?: string): Field<Date> =>
    declare(() => z.string().regex(ISO_WITH_OFFSET).meta({ format: 'date-time' }), parseInstant, says),
  /** The same, or a day; left as it is, for whoever knows whether it begins or ends something to read on. */
  dayOrMoment: (): Field<Date | string> =>
    declare(
      () => z.string().regex(DAY_OR_INSTANT),
      (input, name) => {
        parseMoment(input, name);
        return input as Date | string;
      },
      'ISO 8601 with an offset, or a day such as 2030-01-31 (UTC)',
    ),
  mailbox: (): Field<Mailbox> => MAILBOX,
  /** One or several; `min` is for those who must be there. */
  mailboxes: (max: number, { min = 0 }: { min?: 0 | 1 } = {}): Field<Mailbox[]> =>
    declare(
      () => z.union([MAILBOX.schema, z.array(MAILBOX.schema).min(min).max(max)]),
      (input, name) => {
        if (min > 0 && input === undefined) throw invalidPayload(name, 'is missing');
        const mailboxes = parseMailboxes(input, name, max);
        if (mailboxes.length < min) throw invalidPayload(name, 'has no address');
        return mailboxes;
      },
    ),
  headers: (): Field<Record<string, string>> =>
    declare(
      () => z.record(z.string(), z.string().max(MAX_VALUE_LENGTH)),
      (input, name) => parseHeaders(input, name),
      `At most ${MAX_HEADERS}; those Postrider writes itself are refused.`,
    ),
  /** A JSON object of the caller's own making. */
  json: (limits: JsonLimits): Field<Record<string, unknown>> =>
    declare(
      () => z.record(z.string(), z.unknown()),
      (input, name) => parseJsonObject(input, name, limits),
      `At most ${limits.maxBytes / 1024} KB, ${limits.maxDepth} levels deep.`,
    ),
  /** Whatever else a reader of its own checks, shown as `shown`. */
  own: <T>(shown: () => z.ZodType, read: Field<T>['read'], says?: string): Field<T> =>
    declare(shown, read, says),
} as const;

const MAILBOX: Field<Mailbox> = declare(
  () => {
    const address = z.string().max(MAX_MAILBOX_LENGTH).describe('name@domain, or Name <name@domain>');
    const name = z.string().max(MAX_NAME_LENGTH).nullish();
    const bare = z.string().describe('name@domain');
    return z.union([address, z.strictObject({ address: bare, name }), z.strictObject({ email: bare, name })]);
  },
  parseMailbox,
  { id: 'Mailbox' },
);
