import { hasControlCharacter, isStorableText } from './control-characters.js';
import { parseMailbox } from './email-address.js';
import { isPostriderError } from './errors.js';
import type { Mailbox } from './mailbox.js';
import { domainInAscii } from './parse-url.js';
import { isReservedHeader } from './reserved-headers.js';

/**
 * What may stand in a header of an email, and how it becomes ASCII: the one list by which intake refuses and the composer
 * writes, so that nothing is accepted that cannot be composed. A value in ASCII goes as it is. Letters beyond ASCII are
 * encoded where a person reads them; links and domains have an ASCII form of their own; anywhere else they are refused.
 */
export type HeaderValue =
  /** ASCII, to be folded at its spaces. */
  | { form: 'ascii'; text: string }
  /** Words for people: as encoded words, which everything that shows headers decodes. */
  | { form: 'words'; text: string }
  /** Words for people, and behind them what programs read. */
  | { form: 'words-and-id'; words: string; id: string }
  | { form: 'mailboxes'; mailboxes: Mailbox[] };

/** What is wrong with a value, as the end of a sentence that begins with the header's name, or how it is written. */
export function readHeaderValue(name: string, value: string): HeaderValue | string {
  const read = ASCII.test(value) ? { form: 'ascii' as const, text: value } : readInternational(name, value);
  if (typeof read !== 'string' && hasUnfoldableWord(read))
    return `has a word of more than ${MAX_WORD} characters, which fits on no line`;
  return read;
}

/** The same of its name. */
export function findHeaderNameProblem(name: string): string | null {
  if (name.length > MAX_NAME_LENGTH) return `has a name of more than ${MAX_NAME_LENGTH} characters`;
  if (!NAME.test(name)) return 'is not a header name: letters, digits and hyphens, a letter first';
  if (isReservedHeader(name)) return 'is written by Postrider or by the servers, and cannot be set here';
  return null;
}

export const MAX_NAME_LENGTH = 64;
const NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
/** Printable: nothing of it can break out of its line. */
const ASCII = /^[\x20-\x7e]*$/;
/** Lines end at 998 characters, and before a word stands a name of at most 64. */
const MAX_WORD = 900;

function readInternational(name: string, value: string): HeaderValue | string {
  if (hasControlCharacter(value)) return 'contains a control character';
  if (!isStorableText(value)) return 'is not valid Unicode';
  const lower = name.toLowerCase();
  if (LINKS.has(lower)) return readLinks(value);
  if (lower === 'list-id') return readListId(value);
  if (ADDRESSES.has(lower)) return readAddresses(value);
  if (PROGRAMS.has(lower)) return 'is read by programs and must be ASCII';
  return { form: 'words', text: value };
}

/** RFC 2369 and 5064: links in angle brackets. */
const LINKS = new Set([
  'list-unsubscribe',
  'list-subscribe',
  'list-help',
  'list-post',
  'list-owner',
  'list-archive',
  'archived-at',
]);

const ADDRESSES = new Set([
  'disposition-notification-to',
  'errors-to',
  'mail-followup-to',
  'mail-reply-to',
  'return-receipt-to',
  'x-confirm-reading-to',
]);

/** Ids, tokens and dates: no reader looks for encoded words there. */
const PROGRAMS = new Set([
  'references',
  'in-reply-to',
  'original-message-id',
  'supersedes',
  'list-unsubscribe-post',
  'auto-submitted',
  'precedence',
  'priority',
  'importance',
  'x-priority',
  'x-msmail-priority',
  'x-auto-response-suppress',
  'sensitivity',
  'expires',
  'reply-by',
  'accept-language',
  'feedback-id',
  'autocrypt',
  'require-recipient-valid-since',
  'tls-required',
]);

function readLinks(value: string): HeaderValue | string {
  let bad = false;
  const text = value.replace(/<([^<>]*)>/g, (_all, link: string) => {
    const ascii = linkInAscii(link);
    bad ||= ascii === null;
    return `<${ascii}>`;
  });
  if (bad || !ASCII.test(text)) return 'must be links in angle brackets, with a scheme and a valid domain';
  return { form: 'ascii', text };
}

/** The domain as DNS has it, everything else percent-encoded; null where that cannot be done. */
function linkInAscii(link: string): string | null {
  if (ASCII.test(link)) return link;
  const scheme = /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(link)?.[0];
  if (scheme === undefined) return null;
  const rest = link.slice(scheme.length);
  if (scheme.toLowerCase() === 'mailto:') {
    const query = rest.includes('?') ? rest.indexOf('?') : rest.length;
    return withDomain(scheme, rest.slice(0, query), rest.slice(query));
  }
  if (!rest.startsWith('//')) return percentEncoded(link);
  const end = rest.slice(2).search(/[/?#]/);
  const path = end < 0 ? rest.length : end + 2;
  return withDomain(`${scheme}//`, rest.slice(2, path), rest.slice(path));
}

function withDomain(start: string, authority: string, rest: string): string | null {
  const at = authority.lastIndexOf('@') + 1;
  const domain = authorityInAscii(authority.slice(at));
  return domain === null ? null : percentEncoded(`${start}${authority.slice(0, at)}${domain}${rest}`);
}

function authorityInAscii(authority: string): string | null {
  if (ASCII.test(authority)) return authority;
  const [, host = '', port = ''] = /^([^:]*)(:\d*)?$/.exec(authority) ?? [];
  const ascii = domainInAscii(host);
  return ascii === null ? null : ascii + port;
}

function percentEncoded(text: string): string {
  return text.replace(/[^\x21-\x7e]+/g, (part) =>
    [...Buffer.from(part)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  );
}

/** RFC 2919: a phrase, and an id that looks like a domain. */
function readListId(value: string): HeaderValue | string {
  const [, phrase = '', id = ''] = /^([^<>]*)<([^<>\s]+)>\s*$/.exec(value) ?? [];
  const ascii = ASCII.test(id) ? id : domainInAscii(id);
  if (ascii === null || ascii === '')
    return 'must be a name and an id in angle brackets, the id in ASCII or as a domain';
  const words = phrase.trim().replace(/^"(.*)"$/, '$1');
  if (ASCII.test(words)) return { form: 'ascii', text: `${phrase}<${ascii}>` };
  return { form: 'words-and-id', words, id: `<${ascii}>` };
}

function readAddresses(value: string): HeaderValue | string {
  try {
    const mailboxes = splitAddresses(value).map((one) => parseMailbox(one.trim(), 'it'));
    if (mailboxes.every(({ address }) => ASCII.test(address))) return { form: 'mailboxes', mailboxes };
  } catch (error) {
    if (!isPostriderError(error)) throw error;
  }
  return 'must be addresses, the part before the @ in ASCII';
}

/** At commas outside quotes and angle brackets. */
function splitAddresses(value: string): string[] {
  const parts: string[] = [];
  let quoted = false;
  let start = 0;
  for (let at = 0; at < value.length; at++) {
    const char = value[at];
    if (char === '\\' && quoted) at += 1;
    else if (char === '"') quoted = !quoted;
    else if (char === ',' && !quoted) {
      parts.push(value.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(value.slice(start));
  return parts;
}

function hasUnfoldableWord(value: HeaderValue): boolean {
  const text = value.form === 'ascii' ? value.text : value.form === 'words-and-id' ? value.id : '';
  return text.length > MAX_WORD && text.split(' ').some((word) => word.length > MAX_WORD);
}
