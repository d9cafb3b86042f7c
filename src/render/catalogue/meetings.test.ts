import { describe, expect, it } from 'vitest';
import { createRenderer } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import { createTemplateFiles } from '../template-files.js';
import { meetingCancelled, meetingScheduled } from './app-circle-emails.js';
import { calendarEntry } from './calendar-entry.js';

/** What goes into people's calendars: one entry that can be found again, moved and taken out. */
const { checkData } = createRenderer({ files: createTemplateFiles(), appUrl: null });

function linesOf(type: EmailType, data: unknown): string[] {
  const [file] = type.attachments!(checkData(type, data));
  return String(file!.content).replace(/\r\n /g, '').split('\r\n');
}

describe('the calendar entry', () => {
  it('scheduled, then cancelled → the same uid, a higher sequence, METHOD and STATUS to match', () => {
    const [scheduled] = meetingScheduled.attachments!(meetingScheduled.sample);
    const [cancelled] = meetingCancelled.attachments!(meetingCancelled.sample);
    expect(scheduled).toMatchObject({
      filename: 'meeting.ics',
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
    });
    expect(cancelled).toMatchObject({ contentType: 'text/calendar; charset=utf-8; method=CANCEL' });
    const first = linesOf(meetingScheduled, meetingScheduled.sample);
    const second = linesOf(meetingCancelled, meetingCancelled.sample);
    expect(first).toEqual(
      expect.arrayContaining([
        ...['METHOD:PUBLISH', 'UID:circle-42-1@postrider', 'SEQUENCE:0', 'STATUS:CONFIRMED'],
        ...['DTSTART:20300514T160000Z', 'DTEND:20300514T170000Z', 'LOCATION:The library'],
        'ORGANIZER;CN="Grace":mailto:grace@example.com',
      ]),
    );
    expect(second).toEqual(
      expect.arrayContaining([
        ...['METHOD:CANCEL', 'UID:circle-42-1@postrider', 'SEQUENCE:1', 'STATUS:CANCELLED'],
        'DTSTART:20300514T160000Z',
      ]),
    );
  });

  it('moved twice, then cancelled → the sequences that were given', () => {
    expect(linesOf(meetingScheduled, { ...meetingScheduled.sample, sequence: 2 })).toContain('SEQUENCE:2');
    expect(linesOf(meetingCancelled, { ...meetingCancelled.sample, sequence: 3 })).toContain('SEQUENCE:3');
  });

  it('hostile text → one property per line, folded at 75 octets', () => {
    const entry = calendarEntry({
      method: 'PUBLISH',
      uid: 'a@b',
      sequence: 0,
      stampedAt: '2030-05-14T16:00:00Z',
      startsAt: '2030-05-14T18:00:00+02:00',
      endsAt: '2030-05-14T17:00:00Z',
      title: `a;b,c\\d\r\nEND:VEVENT ${'ü'.repeat(80)}`,
      organizer: { name: 'x":\r\nEND:VEVENT', email: 'a@b.example\r\nEND:VEVENT' },
    });
    const lines = entry.split('\r\n');
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(75);
    const unfolded = entry.replace(/\r\n /g, '');
    expect(unfolded).toContain(`SUMMARY:a\\;b\\,c\\\\d\\nEND:VEVENT ${'ü'.repeat(80)}\r\n`);
    expect(unfolded).toContain('ORGANIZER;CN="x:END:VEVENT":mailto:a@b.exampleEND:VEVENT\r\n');
    expect(unfolded).toContain('DTSTART:20300514T160000Z\r\n');
    expect(unfolded.match(/^END:VEVENT\r$/gm)).toHaveLength(1);
  });
});

it.each([
  ['it ends before it begins', { endsAt: '2030-05-14T15:00:00Z' }, 'data.endsAt'],
  ['the time zone does not exist', { timeZone: 'Europe/Nowhere' }, 'data.timeZone'],
  ['a time without an offset', { startsAt: '2030-05-14T16:00:00' }, 'data.startsAt'],
  ['a title of two lines', { title: 'a\nb' }, 'data.title'],
])('%s → refused by the name of the field', (_, part, field) => {
  expect(() => checkData(meetingScheduled, { ...meetingScheduled.sample, ...part })).toThrow(
    expect.objectContaining({ field, code: 'INVALID_PAYLOAD' }),
  );
});
