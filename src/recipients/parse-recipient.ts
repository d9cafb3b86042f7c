import { z } from 'zod';
import {
  type Field,
  field,
  fieldsSchema,
  invalidPayload,
  isUuid,
  parseJsonObject,
  parseLine,
  parseMailbox,
  parsePattern,
  readFields,
} from '../kernel/index.js';
import { REMINDER_FREQUENCIES, type RecipientRef } from './recipient.js';

/**
 * A person from outside, checked field by field into what the store takes: only keys that were given are there, so
 * that the rest of the row stays. Refuses unknown keys, time zones nobody knows, and what the store cannot hold.
 */
export function parseRecipient(input: unknown, place: string): ParsedRecipient {
  const given = readFields(input, place, KEYS, { keepNull: true });
  const at = (name: string) => (place === '' ? name : `${place}.${name}`);
  const parsed: ParsedRecipient = { email: parseMailbox(given.email ?? undefined, at('email')).address };
  for (const [name, { read }] of Object.entries(FIELDS)) {
    const value = given[name];
    if (value === undefined) continue;
    if (value === null && NEVER_NULL.includes(name)) throw invalidPayload(at(name), 'cannot be cleared');
    parsed[name] = value === null ? null : read(value, at(name));
  }
  return parsed;
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
const LANGUAGE_TAG = /^(?=.{2,35}$)[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*$/;
// An offset such as +02:00 is no place: it has no summer, and PostgreSQL reads its sign the other way.
const ZONE = /^[A-Za-z][A-Za-z0-9_+-]*(?:\/[A-Za-z0-9_+-]+){0,2}$/;
const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/;
const ATTRIBUTE_LIMITS = { maxBytes: 16 * 1024, maxDepth: 5 };

const word = field.pattern(WORD, 'a word of up to 32 letters, digits, hyphens or underscores');
const instant = field.own(
  z.string().regex(INSTANT).meta({ format: 'date-time' }),
  (input, name) => parseInstant(input, name).toISOString(),
  'ISO 8601 with an offset.',
);

/** All but the address, which is always there. */
const FIELDS: Record<string, Field<unknown>> = {
  externalId: field.line(MAX_ID_LENGTH),
  name: field.line(256),
  language: field.pattern(LANGUAGE_TAG, 'a language tag such as en or pt-BR'),
  timeZone: field.own(z.string().regex(ZONE), parseTimeZone, 'an IANA name such as Europe/Berlin'),
  status: word,
  accountType: word,
  preferences: field.own(z.record(z.string(), z.boolean().nullable()), parsePreferences),
  attributes: field.json(ATTRIBUTE_LIMITS),
  reminderFrequency: field.choice(REMINDER_FREQUENCIES),
  lastActiveAt: instant,
  lastReminderSentAt: instant,
};
const KEYS = ['email', ...Object.keys(FIELDS)];
const NEVER_NULL = ['externalId', 'status', 'preferences', 'attributes'];

/** For whoever describes the API. */
export const RECIPIENT_INPUT = fieldsSchema(
  { email: field.mailbox(), ...FIELDS },
  { required: ['email'], neverNull: NEVER_NULL, id: 'RecipientInput' },
);

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
