import { PostriderError } from '../../kernel/index.js';
import type { OutgoingEmail } from '../provider.js';
import { encodeWords } from './encode-words.js';
import { formatMailboxes } from './format-mailbox.js';

/**
 * The header lines of a message, each ended and folded, without the MIME ones. Refuses a value with
 * a control character, and a caller's header that Postrider writes itself or that a server owns.
 */
export function messageHeaders(email: OutgoingEmail): string {
  checkHeaders(email);
  const { from, to, cc, replyTo } = email;
  let out = header('From', formatMailboxes([from], 'from'));
  if (to.length > 0) out += header('To', formatMailboxes(to, 'to'));
  if (cc.length > 0) out += header('Cc', formatMailboxes(cc, 'cc'));
  if (to.length + cc.length === 0) out += header('To', 'undisclosed-recipients:;');
  if (replyTo.length > 0) out += header('Reply-To', formatMailboxes(replyTo, 'replyTo'));
  out += header('Subject', subjectText(email.subject));
  out += header('Date', dateText(email.date));
  out += header('Message-ID', email.messageId);
  for (const [name, value] of Object.entries(email.headers)) {
    out += header(name, ASCII.test(value) ? fold(name, value) : encodeWords(value));
  }
  return out;
}

/** Everything a header could be broken with; also called before nodemailer's composer. */
export function checkHeaders(email: OutgoingEmail): void {
  if (CONTROL.test(email.subject)) throw invalid('subject', 'The subject holds a control character.');
  if (!/^<[\x21-\x3b\x3d\x3f-\x7e]+>$/.test(email.messageId)) {
    throw invalid('messageId', 'A Message-ID is <left@right> without spaces.');
  }
  if (Number.isNaN(email.date.getTime())) throw invalid('date', 'The date is not a date.');
  for (const [name, value] of Object.entries(email.headers)) {
    const field = `headers.${name.slice(0, 80)}`;
    if (!/^[A-Za-z0-9-]{1,76}$/.test(name))
      throw invalid(field, 'A header name is letters, digits and hyphens.');
    if (RESERVED.test(name)) throw invalid(field, `${name} is written by Postrider or by the servers.`);
    if (CONTROL.test(value)) throw invalid(field, `The header ${name} holds a control character.`);
    if (ASCII.test(value) && hasUnfoldableWord(value)) {
      throw invalid(field, `The header ${name} has a word that fits on no line.`);
    }
  }
}

const CONTROL = /[\x00-\x1f\x7f]/;
const ASCII = /^[\x20-\x7e]*$/;
const RESERVED =
  /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*|return-path|received|dkim-signature|resent-.*)$/i;

function hasUnfoldableWord(value: string): boolean {
  return value.length > 900 && value.split(' ').some((word) => word.length > 900);
}

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
  const survivesAsItIs =
    ASCII.test(subject) && !/^ | $| {2}|=\?/.test(subject) && !hasUnfoldableWord(subject);
  return survivesAsItIs ? fold('Subject', subject) : encodeWords(subject);
}

/** Breaks before a space that has words on both sides, so that unfolding gives the same text. */
function fold(name: string, value: string): string {
  if (name.length + 2 + value.length <= 76) return value;
  let out = '';
  let column = name.length + 2;
  let first = true;
  for (const word of value.match(/ *[^ ]+ *$| *[^ ]+/g) ?? []) {
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

function invalid(field: string, message: string): PostriderError {
  return new PostriderError('INVALID_HEADER', message, { field });
}
