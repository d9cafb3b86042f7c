import { describe, expect, it } from 'vitest';
import { createRenderer } from '../create-renderer.js';
import type { EmailType } from '../define-email.js';
import { createTemplateFiles } from '../template-files.js';
import { meetingCancelled, meetingScheduled } from './app-circle-emails.js';
import { calendarEntry } from './calendar-entry.js';

/** What goes into people's calendars: one entry that can be found again, moved and taken out. */
const { checkData, attachments } = createRenderer({ files: createTemplateFiles(), appUrl: null });
const at = new Date('2030-05-01T09:30:15.250Z');

function fileOf(type: EmailType, data: unknown, making: { companyId?: string; at?: Date } = {}) {
  return attachments({ ...{ type, companyId: 'acme', at }, ...making, data: checkData(type, data) })[0]!;
}

function linesOf(...of: Parameters<typeof fileOf>): string[] {
  return String(fileOf(...of).content)
    .replace(/\r\n /g, '')
    .split('\r\n');
}

const valueIn = (lines: string[], name: string) =>
  lines.find((line) => line.startsWith(`${name}:`))?.slice(name.length + 1);

describe('the calendar entry', () => {
  it('scheduled, then cancelled → the same uid, a higher sequence, METHOD and STATUS to match', () => {
    expect(fileOf(meetingScheduled, meetingScheduled.sample)).toMatchObject({
      filename: 'meeting.ics',
      contentType: 'text/calendar; charset=utf-8; method=PUBLISH',
    });
    const first = linesOf(meetingScheduled, meetingScheduled.sample);
    const later = { at: new Date(at.getTime() + 60_000) };
    expect(fileOf(meetingCancelled, meetingCancelled.sample, later)).toMatchObject({
      contentType: 'text/calendar; charset=utf-8; method=CANCEL',
    });
    const second = linesOf(meetingCancelled, meetingCancelled.sample, later);
    expect(first).toEqual(
      expect.arrayContaining([
        ...['METHOD:PUBLISH', 'STATUS:CONFIRMED', 'DTSTAMP:20300501T093015Z'],
        ...['DTSTART:20300514T160000Z', 'DTEND:20300514T170000Z', 'LOCATION:The library'],
        'ORGANIZER;CN="Grace":mailto:grace@example.com',
      ]),
    );
    expect(second).toEqual(
      expect.arrayContaining([
        ...['METHOD:CANCEL', 'STATUS:CANCELLED', 'DTSTAMP:20300501T093115Z', 'DTSTART:20300514T160000Z'],
        'ORGANIZER;CN="Grace":mailto:grace@example.com',
      ]),
    );
    expect(valueIn(second, 'UID')).toBe(valueIn(first, 'UID'));
    expect(Number(valueIn(second, 'SEQUENCE'))).toBeGreaterThan(Number(valueIn(first, 'SEQUENCE')));
  });

  it('the same meeting id in another company → another uid', () => {
    const uid = (companyId: string) =>
      valueIn(linesOf(meetingScheduled, meetingScheduled.sample, { companyId }), 'UID');
    expect(uid('acme')).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(uid('acme')).not.toBe(uid('other'));
  });

  it('no address of the host → organized by the service', () => {
    const { hostEmail: _, ...data } = meetingScheduled.sample;
    expect(linesOf(meetingScheduled, data)).toContain('ORGANIZER;CN="Grace":mailto:hello@app.example.com');
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
