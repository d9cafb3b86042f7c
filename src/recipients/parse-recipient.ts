import { z } from 'zod';
import {
  type Field,
  field,
  fields,
  invalidPayload,
  isUuid,
  needed,
  orNull,
  parseJsonObject,
  parseLine,
  parseMailbox,
  parsePattern,
  readFields,
} from '../kernel/index.js';
import { REMINDER_FREQUENCIES, type RecipientInput, type RecipientRef } from './recipient.js';

/**
 * A person from outside, checked field by field into what the store takes: only keys that were given are there, so
 * that the rest of the row stays. Refuses unknown keys, time zones nobody knows, and what the store cannot hold.
 */
export function parseRecipient(input: unknown, place: string): ParsedRecipient {
  const { email, ...given } = RECIPIENT_INPUT.read(input, place);
  return { ...given, email: email.address };
}

/** `email` and whatever else was given. */
export interface ParsedRecipient extends Record<string, unknown> {
  email: string;
  externalId?: string;
  timeZone?: string | null;
}

export function parseRef(input: unknown): RecipientRef {
  const { recipientId, externalId, email } = readFields(input, '', ['recipientId', 'externalId', 'email']);
  const given = [recipientId, externalId, email].filter((value) => value !== undefined);
  if (given.length !== 1)
    throw invalidPayload('', 'Name the person by one of recipientId, externalId and email.');
  if (externalId !== undefined) return { externalId: parseLine(externalId, 'externalId', MAX_ID_LENGTH)! };
  if (email !== undefined) return { email: parseMailbox(email, 'email').address };
  if (!isUuid(recipientId)) throw invalidPayload('recipientId', 'must be a UUID');
  return { recipientId };
}

/** An instant not later than now, as ISO 8601; an hour's grace for clocks that are ahead. */
export function parsePast(input: unknown, field: string, now: number): Date {
  const at = parseInstant(input, field);
  if (at.getTime() > now + 3_600_000) throw invalidPayload(field, 'lies in the future');
  return at;
}

const MAX_ID_LENGTH = 128;
const WORD = /^[A-Za-z][A-Za-z0-9_-]{0,31}$/;
const PREFERENCE = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
const MAX_PREFERENCES = 100;
const CURSOR = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const LANGUAGE_TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
// An offset such as +02:00 is no place: it has no summer, and PostgreSQL reads its sign the other way.
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const ATTRIBUTE_LIMITS = { maxBytes: 16 * 1024, maxDepth: 5 };

const word = field.pattern(WORD, 'a word of up to 32 letters, digits, hyphens or underscores');
const instant = field.own(
  () => z.string().regex(INSTANT).meta({ format: 'date-time' }),
  (input, name) => parseInstant(input, name).toISOString(),
  'ISO 8601 with an offset.',
);

const kept = <T>(one: Field<T>): Field<T> =>
  field.own(
    () => one.schema,
    (input, name) => {
      if (input === null) throw invalidPayload(name, 'cannot be cleared');
      return one.read(input, name);
    },
  );

export const RECIPIENT_INPUT = fields(
  {
    email: needed(field.mailbox()),
    externalId: kept(field.line(MAX_ID_LENGTH)),
    name: orNull(field.line(256)),
    language: orNull(field.pattern(LANGUAGE_TAG, 'a language tag such as en or pt-BR')),
    timeZone: orNull(
      field.own(() => z.string().regex(ZONE), parseTimeZone, 'an IANA name such as Europe/Berlin'),
    ),
    status: kept(word),
    accountType: orNull(word),
    preferences: kept(field.own(() => z.record(z.string(), z.boolean().nullable()), parsePreferences)),
    attributes: kept(field.json(ATTRIBUTE_LIMITS)),
    reminderFrequency: orNull(field.choice(REMINDER_FREQUENCIES)),
    lastActiveAt: orNull(instant),
    lastReminderSentAt: orNull(instant),
  },
  { id: 'RecipientInput' },
);

const MAX_UPSERT = 10_000;

/** What stands in it is read person by person, where each has a place. */
export const PEOPLE_LIST = field.own(
  () => z.array(RECIPIENT_INPUT.schema).max(MAX_UPSERT),
  (input, name): RecipientInput[] => {
    if (!Array.isArray(input)) throw invalidPayload(name, 'must be a list');
    if (input.length > MAX_UPSERT)
      throw invalidPayload(name, `has more than ${MAX_UPSERT} people; send them in parts`);
    return input;
  },
);

/** A page of people. */
export const RECIPIENT_PAGE_FIELDS = {
  status: field.pattern(WORD, 'a status'),
  limit: field.whole(1, 1000),
  cursor: field.pattern(CURSOR, 'a cursor that an earlier page gave'),
} as const;

/** When something a person did was, and what. */
export const REPORT_FIELDS = {
  at: instant,
  kind: field.pattern(PREFERENCE, 'up to 64 letters, digits, dots, hyphens or underscores'),
} as const;

function parseTimeZone(input: unknown, field: string): string {
  const zone = parsePattern(input, field, ZONE, 'the name of a time zone such as Europe/Berlin')!;
  if (!isKnownZone(zone)) throw invalidPayload(field, 'is no time zone there is');
  return zone;
}

const zones = new Map<string, boolean>();
const MAX_ZONES = 2000;

/** Asking Intl costs 30 µs; there are some hundred names and an import has a hundred thousand rows. */
function isKnownZone(zone: string): boolean {
  const known = zones.get(zone);
  if (known !== undefined) return known;
  if (zones.size >= MAX_ZONES) zones.clear();
  let found = true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
  } catch {
    found = false;
  }
  zones.set(zone, found);
  return found;
}

function parsePreferences(input: unknown, field: string): Record<string, boolean | null> {
  const given = parseJsonObject(input, field, ATTRIBUTE_LIMITS);
  const entries = Object.entries(given);
  if (entries.length > MAX_PREFERENCES)
    throw invalidPayload(field, `has more than ${MAX_PREFERENCES} entries`);
  for (const [name, value] of entries) {
    if (!PREFERENCE.test(name))
      throw invalidPayload(field, 'has a name that is not 1 to 64 letters, digits, dots or hyphens');
    if (value !== null && typeof value !== 'boolean')
      throw invalidPayload(`${field}.${name}`, 'must be true or false');
  }
  return given as Record<string, boolean | null>;
}

function parseInstant(input: unknown, field: string): Date {
  const at =
    input instanceof Date
      ? input
      : new Date(typeof input === 'string' && INSTANT.test(input) ? input : Number.NaN);
  const year = at.getUTCFullYear();
  if (Number.isNaN(at.getTime()) || year < 1970 || year > 2200)
    throw invalidPayload(field, 'must be a Date or ISO 8601 with an offset');
  return at;
}
