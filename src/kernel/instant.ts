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

/** What a Date can hold and the store cannot lies beyond. */
const MAX_INSTANT = Date.UTC(9999, 11, 31);
export const ISO_WITH_OFFSET =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:\.\d{1,9})?)?(?:Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/;

function readIso(text: string): number {
  const match = ISO_WITH_OFFSET.exec(text);
  if (match === null) return Number.NaN;
  const [, year, month, day] = match.map(Number);
  // Date.parse would turn 30 February into 2 March.
  const calendarDay = new Date(Date.UTC(year!, month! - 1, day!));
  if (calendarDay.getUTCMonth() !== month! - 1 || calendarDay.getUTCDate() !== day!) return Number.NaN;
  return Date.parse(text);
}
