/** What is known of a meeting, and its calendar entry: the same uid for as long as it is the same meeting. */
import { z } from 'zod';
import type { TypeAttachment } from '../define-email.js';
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
    /** How often the meeting has changed: each change needs a higher one for calendars to follow. */
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

/** A cancelled meeting that names no sequence is one change after a meeting that named none. */
export function meetingFile(method: 'PUBLISH' | 'CANCEL', data: Meeting): TypeAttachment {
  return {
    filename: method === 'CANCEL' ? 'cancelled.ics' : 'meeting.ics',
    contentType: `text/calendar; charset=utf-8; method=${method}`,
    content: calendarEntry({
      method,
      uid: `${data.meetingId}@postrider`,
      sequence: data.sequence ?? (method === 'CANCEL' ? 1 : 0),
      stampedAt: data.startsAt,
      startsAt: data.startsAt,
      endsAt: data.endsAt,
      title: data.title,
      organizer: data.hostEmail === undefined ? undefined : { name: data.host, email: data.hostEmail },
      location: data.location,
      url: data.joinUrl,
    }),
  };
}
