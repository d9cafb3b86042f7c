/**
 * When to send, as Resend's clients say it: ISO 8601, or a few words of English: `in 2 hours`, `tomorrow at 9am`,
 * `friday at 14:30`. Words are about UTC. What it does not understand it refuses; it never guesses.
 */
import { PostriderError } from '../../../kernel/index.js';

export function parseScheduledAt(input: unknown, now: number, field = 'scheduled_at'): string {
  if (typeof input !== 'string' || input.length > 100) throw refused(field);
  const text = input.trim().toLowerCase().replace(/\s+/g, ' ');
  const at = ISO.test(input.trim())
    ? Date.parse(asUtc(input.trim()))
    : (inAWhile(text, now) ?? onADay(text, now));
  if (at === null || Number.isNaN(at)) throw refused(field);
  if (at > now + MAX_AHEAD_MS)
    throw new PostriderError('INVALID_PAYLOAD', `${field} is more than a year ahead.`, { field });
  return new Date(at).toISOString();
}

const MAX_AHEAD_MS = 366 * 86_400_000;

/** A date without an offset is one in UTC. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}(?::?\d{2})?)?)?$/i;

function asUtc(text: string): string {
  const spaced = text.replace(' ', 'T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2');
  // The end of a day looks like an offset of hours.
  if (!spaced.includes('T')) return spaced;
  const timed = spaced.replace(/([+-]\d{2})$/, '$1:00');
  return /(?:Z|[+-]\d{2}:\d{2})$/i.test(timed) ? timed : `${timed}Z`;
}

const UNIT_MS: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };
const IN =
  /^in (an?|\d{1,6}) ?(s(?:ec(?:ond)?s?)?|m(?:in(?:ute)?s?)?|h(?:(?:ou)?rs?)?|d(?:ays?)?|w(?:eeks?)?)(?: from now)?$/;

function inAWhile(text: string, now: number): number | null {
  if (text === 'now') return now;
  const match = IN.exec(text);
  if (!match) return null;
  const count = /^an?$/.test(match[1]!) ? 1 : Number(match[1]);
  return now + count * UNIT_MS[match[2]![0]!]!;
}

const DAYS = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const ON = new RegExp(
  `^(today|tomorrow|(?:(?:next|on) )?(?:${DAYS.join('|')}))(?: at (\\d{1,2})(?::(\\d{2}))? ?(am|pm)?)?(?: utc)?$`,
);

function onADay(text: string, now: number): number | null {
  const match = ON.exec(text);
  if (!match) return null;
  const [, day = '', hours, minutes = '0', half] = match;
  const today = new Date(now);
  const ahead = day === 'today' ? 0 : day === 'tomorrow' ? 1 : daysTo(day, today.getUTCDay());
  const time = hours === undefined ? timeOf(today) : clockTime(Number(hours), Number(minutes), half);
  if (time === null) return null;
  return Date.UTC(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate() + ahead) + time;
}

function daysTo(day: string, from: number): number {
  const to = DAYS.findIndex((name) => day.endsWith(name));
  return (to - from + 7) % 7 || 7;
}

function timeOf(at: Date): number {
  return at.getTime() - Date.UTC(at.getUTCFullYear(), at.getUTCMonth(), at.getUTCDate());
}

function clockTime(hours: number, minutes: number, half: string | undefined): number | null {
  if (minutes > 59 || hours > (half ? 12 : 23) || (half && hours === 0)) return null;
  const hour = half ? (hours % 12) + (half === 'pm' ? 12 : 0) : hours;
  return (hour * 60 + minutes) * 60_000;
}

function refused(field: string): PostriderError {
  return new PostriderError(
    'INVALID_PAYLOAD',
    `${field} must be ISO 8601 or words such as in 1 hour or tomorrow at 9am.`,
    { field },
  );
}
