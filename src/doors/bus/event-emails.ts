import { didYouMean, type Parsed } from '../../kernel/index.js';

/**
 * Which events of other services start which emails, as it is written down: per type of event one email or several, in
 * the fields `send` takes. A text that begins with `$` is taken from the event (`$data.email`; with `?` at its end it
 * may be missing), one that begins with `$$` means the rest of itself. Refuses what it does not know, and events about
 * emails, since every email would then start another.
 */
export type EventEmails = Readonly<Record<string, EmailPattern | readonly EmailPattern[]>>;

export type EmailPattern = Readonly<Record<string, unknown>>;

const FIELDS = [
  ...['to', 'from', 'replyTo', 'cc', 'bcc', 'recipient', 'companyId', 'userId', 'lang', 'category'],
  ...['type', 'data', 'subject', 'text', 'html', 'headers', 'metadata'],
  ...['priority', 'scheduledAt', 'expiresAt', 'delivery', 'retry'],
];
const ROOTS = ['id', 'type', 'source', 'occurredAt', 'companyId', 'data'];
const PATH = /^\$[^.?\s]+(?:\.[^.?\s]+)*\??$/;
const TYPE = /^[\u0021-\u007e]{1,200}$/;

export function parseEventEmails(raw: unknown): Parsed<EventEmails> {
  if (!isObject(raw) || Object.keys(raw).length === 0)
    return { ok: false, reason: 'must name at least one type of event' };
  const problems: string[] = [];
  for (const [event, said] of Object.entries(raw)) {
    if (!TYPE.test(event)) problems.push(`${event}: must be printable ASCII characters without spaces`);
    if (event.startsWith('email.')) problems.push(`${event}: every email would start another`);
    const patterns: unknown[] = Array.isArray(said) ? said : [said];
    if (patterns.length === 0) problems.push(`${event}: must have at least one email`);
    for (const pattern of patterns) checkPattern(pattern, event, problems);
  }
  return problems.length > 0
    ? { ok: false, reason: problems.join('; ') }
    : { ok: true, value: raw as EventEmails };
}

function checkPattern(pattern: unknown, event: string, problems: string[]): void {
  if (!isObject(pattern)) {
    problems.push(`${event}: must be an object with the fields of an email`);
    return;
  }
  for (const [name, value] of Object.entries(pattern)) {
    if (!FIELDS.includes(name)) {
      const guess = didYouMean(name, FIELDS);
      problems.push(`${event}.${name}: there is no such field${guess ? `; did you mean ${guess}?` : ''}`);
    }
    checkPaths(value, `${event}.${name}`, problems);
  }
  if (!Object.hasOwn(pattern, 'to') && !Object.hasOwn(pattern, 'recipient'))
    problems.push(`${event}: says not to whom`);
  if (!Object.hasOwn(pattern, 'type') && !Object.hasOwn(pattern, 'subject'))
    problems.push(`${event}: needs a type, or a subject with text or html`);
}

function checkPaths(value: unknown, at: string, problems: string[]): void {
  if (isObject(value) || Array.isArray(value)) {
    for (const [key, inner] of Object.entries(value)) checkPaths(inner, `${at}.${key}`, problems);
    return;
  }
  if (typeof value !== 'string' || !value.startsWith('$') || value.startsWith('$$')) return;
  if (!PATH.test(value)) problems.push(`${at}: ${value} is no path; write $$ for a dollar sign`);
  else if (!ROOTS.includes(value.slice(1).split(/[.?]/)[0]!))
    problems.push(`${at}: ${value} must begin with one of ${ROOTS.map((root) => `$${root}`).join(', ')}`);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
