import { field, invalidPayload, parseInstant } from '../kernel/index.js';

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

export const INSTANT = field.moment('ISO 8601 with an offset.');
