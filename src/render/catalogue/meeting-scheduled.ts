import { z } from 'zod';
import { defineEmail } from '../define-email.js';
import { calendarEntry } from './calendar-entry.js';

/** A meeting has a time: says when and where, with an entry for the calendar. */
export const meetingScheduled = defineEmail({
  type: 'meeting_scheduled',
  portal: 'app',
  category: 'circles',
  priority: 2,
  data: z.strictObject({
    name: z.string().min(1).max(200),
    host: z.string().min(1).max(200),
    meetingId: z.string().min(1).max(200),
    title: z.string().min(1).max(120),
    startsAt: z.iso.datetime({ offset: true }),
    endsAt: z.iso.datetime({ offset: true }),
    timeZone: z.string().max(64),
    guestCount: z.int().nonnegative(),
    location: z.string().max(200).optional(),
    joinUrl: z.url().optional(),
  }),
  sample: {
    name: 'Ada',
    host: 'Grace',
    meetingId: 'circle-42-1',
    title: 'Third circle meeting',
    startsAt: '2030-05-14T16:00:00Z',
    endsAt: '2030-05-14T17:00:00Z',
    timeZone: 'Europe/Berlin',
    guestCount: 4,
    location: 'The library',
    joinUrl: 'https://app.example.com/meet/42',
  },
  attachments: (data) => [
    {
      filename: 'meeting.ics',
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
      content: calendarEntry({
        method: 'PUBLISH',
        uid: `${data.meetingId}@postrider`,
        sequence: 0,
        stampedAt: data.startsAt,
        startsAt: data.startsAt,
        endsAt: data.endsAt,
        title: data.title,
        location: data.location,
        url: data.joinUrl,
      }),
    },
  ],
});
