/**
 * A meeting as an iCalendar file (RFC 5545): text escaped, lines folded at 75 octets, times in UTC. The same uid with
 * a higher sequence replaces the entry in the reader's calendar; CANCEL removes it.
 */
export function calendarEntry(meeting: Meeting): string {
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//Postrider//Postrider//EN',
    `METHOD:${meeting.method}`,
    'BEGIN:VEVENT',
    `UID:${escapeText(meeting.uid)}`,
    `SEQUENCE:${meeting.sequence}`,
    `DTSTAMP:${utc(meeting.stampedAt)}`,
    `DTSTART:${utc(meeting.startsAt)}`,
    `DTEND:${utc(meeting.endsAt)}`,
    `SUMMARY:${escapeText(meeting.title)}`,
    ...(meeting.organizer ? [organizerLine(meeting.organizer)] : []),
    ...(meeting.location ? [`LOCATION:${escapeText(meeting.location)}`] : []),
    ...(meeting.url ? [`URL:${meeting.url.replace(/[\r\n]/g, '')}`] : []),
    `STATUS:${meeting.method === 'CANCEL' ? 'CANCELLED' : 'CONFIRMED'}`,
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${lines.map(fold).join('\r\n')}\r\n`;
}

export interface Meeting {
  method: 'PUBLISH' | 'CANCEL';
  uid: string;
  sequence: number;
  /** ISO 8601 with an offset, as are the others. */
  stampedAt: string;
  startsAt: string;
  endsAt: string;
  title: string;
  organizer?: { name: string; email: string } | undefined;
  location?: string | undefined;
  url?: string | undefined;
}

/** A parameter's value is quoted and cannot hold a quote or a line break. */
function organizerLine({ name, email }: { name: string; email: string }): string {
  const common = name.replace(/["\u0000-\u001f\u007f]/g, '');
  return `ORGANIZER;CN="${common}":mailto:${email.replace(/[\u0000-\u0020\u007f]/g, '')}`;
}

function utc(iso: string): string {
  return new Date(iso).toISOString().replace(/[-:]|\.\d{3}/g, '');
}

function escapeText(text: string): string {
  return text
    .replace(/[\\;,]/g, (character) => `\\${character}`)
    .replace(/\r\n?|\n/g, '\\n')
    .replace(/[\u0000-\u001f\u007f]/g, '');
}

function fold(line: string): string {
  let folded = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > 75) {
      folded += '\r\n ';
      octets = 1;
    }
    folded += character;
    octets += size;
  }
  return folded;
}
