import { types } from 'node:util';
import { z } from 'zod';
import { field, invalidPayload } from '../kernel/index.js';

/**
 * When an email may go out. Takes a Date or ISO 8601 with an offset, so no time depends on where it is read;
 * refuses dates no calendar has, an expiry that leaves no time to send, and a schedule more than a year ahead.
 * A `scheduledAt` in the past is due at once.
 */
export function parseTimes(scheduled: unknown, expires: unknown, now: number): Times {
  const scheduledAt = scheduled === undefined ? null : parseDueTime(scheduled, 'scheduledAt', now);
  const expiresAt = expires === undefined ? null : parseInstant(expires, 'expiresAt');
  if (expiresAt !== null && expiresAt.getTime() <= now) throw invalidPayload('expiresAt', 'is in the past');
  if (expiresAt !== null && scheduledAt !== null && expiresAt <= scheduledAt)
    throw invalidPayload('expiresAt', 'must be later than scheduledAt');
  return { scheduledAt, expiresAt };
}

/** One time to send at, for a new email or one that is moved. */
export function parseDueTime(input: unknown, field: string, now: number): Date {
  const at = parseInstant(input, field);
  if (at.getTime() > now + MAX_AHEAD_MS) throw invalidPayload(field, 'is more than a year ahead');
  return at;
}

export interface Times {
  scheduledAt: Date | null;
  expiresAt: Date | null;
}

const MAX_AHEAD_MS = 366 * 24 * 60 * 60 * 1000;
/** What a Date can hold and the store cannot lies beyond. */
const MAX_INSTANT = Date.UTC(9999, 11, 31);
const ISO_WITH_OFFSET =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

export const INSTANT = field.own(
  z.string().regex(ISO_WITH_OFFSET).meta({ format: 'date-time' }),
  parseInstant,
  'ISO 8601 with an offset.',
);

function parseInstant(input: unknown, field: string): Date {
  const at = typeof input === 'string' ? readIso(input) : types.isDate(input) ? input.getTime() : Number.NaN;
  if (Number.isNaN(at))
    throw invalidPayload(field, 'must be an ISO 8601 time with an offset, such as 2030-01-31T09:00:00Z');
  if (at < 0 || at > MAX_INSTANT) throw invalidPayload(field, 'must be between the years 1970 and 9999');
  return new Date(at);
}

function readIso(text: string): number {
  const match = ISO_WITH_OFFSET.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day] = match.map(Number);
  // Date.parse would turn 30 February into 2 March.
  const calendarDay = new Date(Date.UTC(year!, month! - 1, day!));
  if (calendarDay.getUTCMonth() !== month! - 1 || calendarDay.getUTCDate() !== day!) return Number.NaN;
  return Date.parse(text);
}
