import { parseDueTime } from './intake/index.js';
import { isUuid, PostriderError, parseMailbox, refuseUnknownKeys } from './kernel/index.js';
import { EMAIL_STATUSES, type EmailStatus } from './outbox/index.js';

/**
 * A filter as callers write it, turned into what the rooms take. A name that does not exist, a status nobody has and a
 * time no calendar knows are refused with their field: a filter that was misread would mean other people's emails.
 */
export interface EmailFilterInput {
  companyId?: string;
  /** `all` is the same as leaving it out. */
  status?: EmailStatus | 'all';
  type?: string;
  /** The first recipient. */
  recipient?: string;
  userId?: string;
  provider?: string;
  /** The id the provider gave. */
  messageId?: string;
  /** Accepted within this many days; not together with `from`. */
  days?: number;
  /** Accepted at this moment or later: a Date, ISO 8601 with an offset, or a day as 2030-01-31 (UTC). */
  from?: Date | string;
  /** Accepted before this moment; a day includes all of it. */
  to?: Date | string;
}

export interface ReadFilter {
  tenant?: string;
  status?: EmailStatus;
  type?: string;
  recipients?: string[];
  userId?: string;
  provider?: string;
  messageId?: string;
  since?: Date;
  until?: Date;
}

export type FilterName = keyof EmailFilterInput;

export function readEmailFilter(input: object, names: readonly FilterName[], now: number): ReadFilter {
  refuseUnknownKeys(input, names, 'INVALID_PAYLOAD');
  const given = input as EmailFilterInput;
  if (given.days !== undefined && given.from !== undefined)
    throw refused('days', 'and from say the same thing twice; give one of them');
  const filter: ReadFilter = {
    ...text(given, 'companyId', 'tenant'),
    ...text(given, 'type', 'type'),
    ...text(given, 'userId', 'userId'),
    ...text(given, 'provider', 'provider'),
    ...text(given, 'messageId', 'messageId'),
  };
  if (given.status !== undefined && given.status !== 'all') filter.status = statusOf(given.status);
  if (given.recipient !== undefined) filter.recipients = spellings(given.recipient);
  if (given.days !== undefined) filter.since = daysAgo(given.days, now);
  if (given.from !== undefined) filter.since = momentOf(given.from, 'from', now);
  if (given.to !== undefined) filter.until = momentOf(given.to, 'to', now);
  if (filter.since && filter.until && filter.until <= filter.since)
    throw refused('to', 'must be later than from');
  return filter;
}

/** A cursor that came from a page before. */
export function readCursor(cursor: unknown): string | undefined {
  if (cursor === undefined) return undefined;
  if (!isUuid(cursor)) throw refused('cursor', 'is not one that a page gave');
  return cursor.toLowerCase();
}

export function readLimit(limit: unknown, { otherwise, most }: { otherwise: number; most: number }): number {
  if (limit === undefined) return otherwise;
  if (!Number.isInteger(limit) || (limit as number) < 1 || (limit as number) > most)
    throw refused('limit', `must be a whole number from 1 to ${most}`);
  return limit as number;
}

/** Both ends of a page that is counted in five-minute steps stay where they are for as long as it is read. */
const STEP_MS = 300_000;
const DAY_MS = 86_400_000;

function daysAgo(days: unknown, now: number): Date {
  if (typeof days !== 'number' || !(days > 0) || days > 3650)
    throw refused('days', 'must be a number above 0 and up to 3650');
  return new Date(Math.floor((now - days * DAY_MS) / STEP_MS) * STEP_MS);
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

function momentOf(input: unknown, field: 'from' | 'to', now: number): Date {
  if (typeof input !== 'string' || !DAY.test(input)) return parseDueTime(input, field, now);
  const start = parseDueTime(`${input}T00:00:00Z`, field, now);
  return field === 'to' ? new Date(start.getTime() + DAY_MS) : start;
}

function statusOf(status: unknown): EmailStatus {
  const known = EMAIL_STATUSES.find((name) => name === status);
  if (known === undefined) throw refused('status', `must be all or one of ${EMAIL_STATUSES.join(', ')}`);
  return known;
}

/**
 * An address whatever its case. The store makes letters small; one that knows only those of ASCII is also asked for the
 * small and the large form of others.
 */
function spellings(input: unknown): string[] {
  const { address } = parseMailbox(input, 'recipient');
  const small = address.toLowerCase();
  const isAscii = /^[\x21-\x7e]*$/.test(address);
  return isAscii ? [small] : [...new Set([small, address, address.toUpperCase()])];
}

const MAX_TEXT = 1000;

function text<Out extends keyof ReadFilter>(
  given: EmailFilterInput,
  name: FilterName,
  out: Out,
): Partial<Record<Out, string>> {
  const value = given[name];
  if (value === undefined) return {};
  if (typeof value !== 'string' || value === '' || value.length > MAX_TEXT || value.includes('\0'))
    throw refused(name, `must be a text of 1 to ${MAX_TEXT} characters`);
  return { [out]: value } as Partial<Record<Out, string>>;
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
