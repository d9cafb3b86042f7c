import {
  findHeaderNameProblem,
  type HeaderValue,
  PostriderError,
  readHeaderValue,
} from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { encodeWords } from './encode-words.js';
import { formatMailboxes } from './format-mailbox.js';

/**
 * The header lines of a message, each ended and folded, without the MIME ones. Refuses a value with
 * a control character, and a caller's header by the rules intake refuses it by.
 */
export function messageHeaders(email: OutgoingEmail): string {
  checkOwnHeaders(email);
  const { from, to, cc, replyTo } = email;
  let out = header('From', formatMailboxes([from], 'from'));
  if (to.length > 0) out += header('To', formatMailboxes(to, 'to'));
  if (cc.length > 0) out += header('Cc', formatMailboxes(cc, 'cc'));
  if (to.length + cc.length === 0) out += header('To', 'undisclosed-recipients:;');
  if (replyTo.length > 0) out += header('Reply-To', formatMailboxes(replyTo, 'replyTo'));
  out += header('Subject', subjectText(email.subject));
  out += header('Date', dateText(email.date));
  out += header('Message-ID', email.messageId);
  for (const name of Object.keys(email.headers)) {
    out += header(name, written(name, readHeader(name, email.headers[name]!)));
  }
  return out;
}

/** The same for a provider that composes the message itself: it has only words left to encode. */
export function checkedHeaders(email: OutgoingEmail): Record<string, string> {
  checkOwnHeaders(email);
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(email.headers)) {
    const read = readHeader(name, value);
    headers[name] = read.form === 'words' ? value : written(name, read).replaceAll('\r\n', '').trim();
  }
  return headers;
}

function checkOwnHeaders(email: OutgoingEmail): void {
  if (CONTROL.test(email.subject)) throw invalid('subject', 'The subject holds a control character.');
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(email.messageId)) {
    throw invalid('messageId', 'A Message-ID is <left@right> without spaces.');
  }
  if (Number.isNaN(email.date.getTime())) throw invalid('date', 'The date is not a date.');
}

function readHeader(name: string, value: string): HeaderValue {
  const read = findHeaderNameProblem(name) ?? readHeaderValue(name, value);
  if (typeof read !== 'string') return read;
  throw invalid(`headers.${name.slice(0, 64)}`, `The header ${name.slice(0, 64)} ${read}.`);
}

const CONTROL = /[\x00-\x1f\x7f]/;
const ASCII = /^[\x20-\x7e]*$/;
/** A subject of one long word is encoded, which the others may not be. */
const MAX_WORD = 900;

let lastDate = { second: Number.NaN, text: '' };

/** Emails come by the second in hundreds, and what a date is called is slow to find out. */
function dateText(date: Date): string {
  const second = Math.floor(date.getTime() / 1000);
  if (second !== lastDate.second) {
    lastDate = { second, text: date.toUTCString().replace('GMT', '+0000') };
  }
  return lastDate.text;
}

function header(name: string, value: string): string {
  return `${name}: ${value}\r\n`;
}

function subjectText(subject: string): string {
  const survivesAsItIs = ASCII.test(subject) && subject.length <= MAX_WORD && !/^ | $| {2}|=\?/.test(subject);
  return survivesAsItIs ? fold('Subject', subject) : encodeWords(subject);
}

function written(name: string, value: HeaderValue): string {
  switch (value.form) {
    case 'ascii':
      return fold(name, value.text);
    case 'words':
      return `${afterName(name)}${encodeWords(value.text)}`;
    case 'words-and-id':
      return `${afterName(name)}${encodeWords(value.words)}\r\n ${value.id}`;
    case 'mailboxes':
      return `\r\n ${formatMailboxes(value.mailboxes, name)}`;
  }
}

/** A line with encoded words ends at 76 characters, and they have 66: behind a long name they begin a line. */
function afterName(name: string): string {
  return name.length <= 8 ? '' : '\r\n ';
}

/** Breaks before a space that has words on both sides, so that unfolding gives the same text. */
function fold(name: string, value: string): string {
  if (name.length + 2 + value.length <= 76) return value;
  let out = '';
  let column = name.length + 2;
  let first = true;
  for (const word of wordsOf(value)) {
    if (!first && column + word.length > 76) {
      out += '\r\n';
      column = 0;
    }
    out += word;
    column += word.length;
    first = false;
  }
  return out;
}

/** Each with the spaces before it, the last with those after it too. */
function wordsOf(value: string): string[] {
  const words = value.split(/(?<! )(?= )/);
  if (words.length < 2 || words.at(-1)!.trim() !== '') return words;
  return [...words.slice(0, -2), words.at(-2)! + words.at(-1)!];
}

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_HEADER', message, { field });
}
