import { types } from 'node:util';
import { invalidPayload } from './input-fields.js';

/**
 * A moment from outside: a Date, or ISO 8601 with an offset, so that no time depends on where it is read. Refuses
 * dates no calendar has and years the store cannot hold.
 */
export function parseInstant(input: unknown, field: string): Date {
  const at = typeof input === 'string' ? readIso(input) : types.isDate(input) ? input.getTime() : Number.NaN;
  if (Number.isNaN(at))
    throw invalidPayload(field, 'must be an ISO 8601 time with an offset, such as 2030-01-31T09:00:00Z');
  if (at < 0 || at > MAX_INSTANT) throw invalidPayload(field, 'must be between the years 1970 and 9999');
  return new Date(at);
}

/** The same, or a day in UTC: it begins at midnight, and as an end includes all of it. */
export function parseMoment(input: unknown, field: string, { end = false } = {}): Date {
  const isDay = typeof input === 'string' && DAY.test(input);
  const start = parseInstant(isDay ? `${input}T00:00:00Z` : input, field);
  return isDay && end ? new Date(start.getTime() + DAY_MS) : start;
}

const DAY_MS = 86_400_000;
const DAY = /^\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])$/;
/** What a Date can hold and the store cannot lies beyond. */
const MAX_INSTANT = Date.UTC(9999, 11, 31);
export const ISO_WITH_OFFSET =
  /^(\d{4})-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;
export const DAY_OR_INSTANT = new RegExp(`${DAY.source}|${ISO_WITH_OFFSET.source}`);

function readIso(text: string): number {
  const match = ISO_WITH_OFFSET.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day] = match.map(Number);
  // Date.parse would turn 30 February into 2 March.
  const calendarDay = new Date(Date.UTC(year!, month! - 1, day!));
  if (calendarDay.getUTCMonth() !== month! - 1 || calendarDay.getUTCDate() !== day!) return Number.NaN;
  return Date.parse(text);
}
