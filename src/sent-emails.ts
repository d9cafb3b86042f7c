import { AssertionError } from 'node:assert';
import type { OutgoingEmail } from './providers/index.js';
import type { EmailLog } from './views/index.js';

/** An email that was sent, as tests look at it. */
export interface SentEmail {
  emailId: string;
  type: string | null;
  companyId: string;
  lang: string | null;
  from: string;
  to: string[];
  cc: string[];
  bcc: string[];
  /** Whom it reached: all of these, unless To and Cc name others. */
  recipients: string[];
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: OutgoingEmail['attachments'];
  metadata: Record<string, unknown>;
  attempts: number;
}

/** What an email must be to match; a text means the whole subject, or a part of html and text. */
export interface Criteria {
  /** Any of its recipients, copies included. */
  to?: string | RegExp;
  from?: string | RegExp;
  type?: string;
  companyId?: string;
  lang?: string;
  subject?: string | RegExp;
  html?: string | RegExp;
  text?: string | RegExp;
}

export function findMatching(emails: readonly SentEmail[], criteria: Criteria): SentEmail[] {
  const unknown = Object.keys(criteria).find((name) => !Object.hasOwn(FITS, name));
  if (unknown !== undefined) throw new TypeError(`${unknown} is none of ${Object.keys(FITS).join(', ')}.`);
  return emails.filter((email) => misfits(email, criteria).length === 0);
}

export function describeMissing(
  criteria: Criteria,
  sent: readonly SentEmail[],
  others: readonly EmailLog[],
): AssertionError {
  const lines = [
    `No email was sent with ${shown(criteria)}.`,
    sent.length === 0 ? 'None was sent at all.' : 'Sent were:',
    ...sent
      .slice(-MAX_SHOWN)
      .map((email) => `  ${headline(email)}  (not its ${misfits(email, criteria).join(', ')})`),
    ...(others.length > 0 ? ['Accepted and not sent:'] : []),
    ...others.slice(-MAX_SHOWN).map((log) => `  ${headline({ ...log, to: [log.to] })}  ${stateOf(log)}`),
  ];
  return new AssertionError({ message: lines.join('\n'), stackStartFn: describeMissing });
}

export function describeUnwanted(criteria: Criteria, found: readonly SentEmail[]): AssertionError {
  const wanted = Object.keys(criteria).length === 0 ? 'No email' : `No email with ${shown(criteria)}`;
  const lines = [`${wanted} was to be sent, but:`, ...found.map((email) => `  ${headline(email)}`)];
  return new AssertionError({ message: lines.join('\n'), stackStartFn: describeUnwanted });
}

const MAX_SHOWN = 20;

type Fits = { [Name in keyof Required<Criteria>]: (email: SentEmail, wanted: string | RegExp) => boolean };

const FITS: Fits = {
  to: ({ recipients }, wanted) => recipients.some((address) => is(address, wanted)),
  from: ({ from }, wanted) => is(from, wanted),
  type: ({ type }, wanted) => type === wanted,
  companyId: ({ companyId }, wanted) => companyId === wanted,
  lang: ({ lang }, wanted) => lang === wanted,
  subject: ({ subject }, wanted) => is(subject, wanted),
  html: ({ html }, wanted) => holds(html, wanted),
  text: ({ text }, wanted) => holds(text, wanted),
};

function misfits(email: SentEmail, criteria: Criteria): string[] {
  return Object.entries(criteria)
    .filter(([name, wanted]) => wanted !== undefined && !FITS[name as keyof Criteria](email, wanted))
    .map(([name]) => name);
}

function is(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text === wanted : wanted.test(text);
}

function holds(text: string, wanted: string | RegExp): boolean {
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

function headline({ type, to, subject }: Pick<SentEmail, 'type' | 'to' | 'subject'>): string {
  return `${type ?? '(no type)'} to ${to.join(', ')}: ${JSON.stringify(subject)}`;
}

function stateOf({ status, scheduledAt, nextAttemptAt, lastError }: EmailLog): string {
  const at = status === 'scheduled' ? scheduledAt : status === 'retry' ? nextAttemptAt : null;
  return `${status}${at ? ` until ${at}` : ''}${lastError ? ` (${lastError})` : ''}`;
}

function shown(criteria: Criteria): string {
  return Object.entries(criteria)
    .map(([name, wanted]) => `${name} ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`)
    .join(', ');
}
