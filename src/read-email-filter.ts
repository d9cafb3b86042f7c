import { type Mailbox, PostriderError, parseMoment } from './kernel/index.js';
import type { EmailStatus, ReadEmailFilter } from './outbox/index.js';

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

/** One of the filters of `operator-inputs.ts`; what it has besides comes through as it was read. */
export function readEmailFilter<Status extends string, Rest extends object>(
  filter: { read: (input: unknown, place: string) => FilterOf<Status> & Rest },
  input: object,
  now: number,
): Omit<ReadFilter, 'status'> & { status?: Exclude<Status, 'all'> } & Omit<Rest, keyof FilterOf<Status>> {
  const { companyId, status, recipient, days, from, to, ...given } = filter.read(input, '');
  const read = {
    ...given,
    ...(companyId !== undefined && { tenant: companyId }),
    ...(status !== undefined && status !== 'all' && { status: status as Exclude<Status, 'all'> }),
    ...(recipient !== undefined && { recipients: spellings(recipient) }),
    ...(days !== undefined && { since: daysAgo(days, now) }),
    ...(from !== undefined && { since: parseMoment(from, 'from') }),
    ...(to !== undefined && { until: parseMoment(to, 'to', { end: true }) }),
  };
  const { since, until } = read as ReadFilter;
  if (since && until && until <= since)
    throw new PostriderError('INVALID_PAYLOAD', 'to must be later than from.', { field: 'to' });
  return read as ReturnType<typeof readEmailFilter<Status, Rest>>;
}

type FilterOf<Status extends string> = Omit<ReadEmailFilter, 'status'> & { status?: Status };

/** Both ends of a page that is counted in five-minute steps stay where they are for as long as it is read. */
const STEP_MS = 300_000;
const DAY_MS = 86_400_000;

function daysAgo(days: number, now: number): Date {
  return new Date(Math.floor((now - days * DAY_MS) / STEP_MS) * STEP_MS);
}

/**
 * An address whatever its case. The store makes letters small; one that knows only those of ASCII is also asked for the
 * small and the large form of others.
 */
function spellings({ address }: Mailbox): string[] {
  const small = address.toLowerCase();
  const isAscii = /^[\x21-\x7e]*$/.test(address);
  return isAscii ? [small] : [...new Set([small, address, address.toUpperCase()])];
}
