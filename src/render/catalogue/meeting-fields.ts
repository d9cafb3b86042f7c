/** What is known of a meeting, and its calendar entry: the same uid for as long as it is the same meeting. */
import { createHash } from 'node:crypto';
import { z } from 'zod';
import type { Making, TypeAttachment } from '../define-email.js';
import { calendarEntry } from './calendar-entry.js';
import { instant, line, personName, thingName, timeZone } from './data-fields.js';

export const meeting = z
  .strictObject({
    name: personName,
    host: personName,
    /** The organizer's address in the calendar entry. */
    hostEmail: z.email().max(254).optional(),
    /** Stays the same when the meeting moves or is cancelled. */
    meetingId: line(200),
    title: thingName,
    startsAt: instant,
    endsAt: instant,
    timeZone,
    /** How often the meeting has changed: a higher one with every email about it, or never one. */
    sequence: z.int().nonnegative().max(1_000_000).optional(),
  })
  .refine(({ startsAt, endsAt }) => Date.parse(endsAt) > Date.parse(startsAt), {
    path: ['endsAt'],
    message: 'it must be after startsAt',
  });

export const meetingSample = {
  name: 'Ada',
  host: 'Grace',
  hostEmail: 'grace@example.com',
  meetingId: 'circle-42-1',
  title: 'Third circle meeting',
  startsAt: '2030-05-14T16:00:00Z',
  endsAt: '2030-05-14T17:00:00Z',
  timeZone: 'Europe/Berlin',
};

type Meeting = z.output<typeof meeting> & { location?: string | undefined; joinUrl?: string | undefined };

/**
 * The file that calendars read. Who organizes must be named (RFC 5546), so without the host's address it is the
 * service's. Without a sequence the moment of making counts: whatever is sent later outranks what was sent before.
 */
export function meetingFile(
  method: 'PUBLISH' | 'CANCEL',
  data: Meeting,
  { at, companyId, brand }: Making,
): TypeAttachment {
  const email = data.hostEmail ?? brand.supportEmail;
  return {
    filename: method === 'CANCEL' ? 'cancelled.ics' : 'meeting.ics',
    contentType: `text/calendar; charset=utf-8; method=${method}`,
    content: calendarEntry({
      method,
      uid: uidOf(companyId, data.meetingId),
      sequence: data.sequence ?? Math.max(0, Math.floor((at.getTime() - SEQUENCES_FROM) / 1000)),
      stampedAt: at.toISOString(),
      startsAt: data.startsAt,
      endsAt: data.endsAt,
      title: data.title,
      organizer: email === '' ? undefined : { name: data.host, email },
      location: data.location,
      url: data.joinUrl,
    }),
  };
}

/** Seconds since then fit into the 31 bits of a SEQUENCE until 2094. */
const SEQUENCES_FROM = Date.UTC(2026, 0, 1);

/** The same for the same meeting of the same company, unlike any other, and telling nothing (RFC 7986). */
function uidOf(companyId: string, meetingId: string): string {
  const digest = createHash('sha256').update(`${companyId}\n${meetingId}`).digest('hex');
  const variant = ((Number.parseInt(digest[16]!, 16) & 0x3) | 0x8).toString(16);
  return [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
    digest.slice(20, 32),
  ].join('-');
}
