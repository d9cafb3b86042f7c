import isEmail from 'validator/lib/isEmail.js';
import { didYouMean } from './config/did-you-mean.js';
import { hasControlCharacter, isStorableText } from './control-characters.js';
import { PostriderError } from './errors.js';
import type { Mailbox } from './mailbox.js';
import { domainInAscii } from './parse-url.js';

/**
 * Addresses from outside, turned into a Mailbox that is safe to write into a header or an SMTP command.
 * An international domain is stored in its ASCII form; nothing else is changed. What is not plainly one address
 * (control or invisible characters, lists, quoted local parts, IP domains, over 254 bytes) is refused, never repaired.
 */
export function parseMailbox(input: unknown, field: string): Mailbox {
  if (typeof input === 'string') return parseMailboxText(input, field);
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalid(field, 'must be an address, or an object with address and name');
  return parseMailboxObject(input, field);
}

/** One mailbox or a list of at most `max`; an absent value is an empty list. */
export function parseMailboxes(input: unknown, field: string, max: number): Mailbox[] {
  if (input === undefined || input === null) return [];
  if (!Array.isArray(input)) return [parseMailbox(input, field)];
  if (input.length > max) throw invalid(field, `has more than ${max} addresses`);
  return Array.from(input, (item, index) => parseMailbox(item, `${field}[${index}]`));
}

export function isEmailAddress(text: string): boolean {
  return storedAddress(text) !== null;
}

/** Whether it may stand before an address. */
export function isDisplayName(text: string): boolean {
  return text.length <= MAX_NAME_LENGTH && !hasControlCharacter(text) && isStorableText(text);
}

/** Whether two stored addresses are one mailbox: a domain ignores case, a local part does not. */
export function isSameAddress(a: string, b: string): boolean {
  return a === b || (a.length === b.length && addressKey(a) === addressKey(b));
}

/** The same for every way to write one mailbox: for many addresses, of which each would be compared with each. */
export function addressKey(address: string): string {
  const at = address.lastIndexOf('@');
  return address.slice(0, at) + address.slice(at).toLowerCase();
}

const MAX_ADDRESS_BYTES = 254;
const MAX_LOCAL_BYTES = 64;
export const MAX_NAME_LENGTH = 256;
export const MAX_MAILBOX_LENGTH = 1024;
const KEYS = ['address', 'email', 'name'];

function parseMailboxText(input: string, field: string): Mailbox {
  if (input.length > MAX_MAILBOX_LENGTH) throw invalid(field, 'is too long for an address');
  refuseUnsafe(input, field);
  if (!input.endsWith('>')) return { address: parseAddress(input, field) };
  const open = input.lastIndexOf('<');
  if (open === -1) throw invalid(field, 'has a > without a <');
  return withName(
    parseAddress(input.slice(open + 1, -1), field),
    parsePhrase(input.slice(0, open), field),
    field,
  );
}

function parseMailboxObject(input: object, field: string): Mailbox {
  const given = new Map<string, unknown>();
  for (const [key, value] of Object.entries(input)) {
    if (!KEYS.includes(key)) throw invalid(field, unknownKey(key));
    if (value !== undefined && value !== null) given.set(key, value);
  }
  if (given.has('address') && given.has('email'))
    throw invalid(field, 'has both address and email; keep one');
  const key = given.has('email') ? 'email' : 'address';
  const address = given.get(key);
  const name = given.get('name') ?? '';
  if (typeof address !== 'string') throw invalid(`${field}.${key}`, 'must be a string');
  if (typeof name !== 'string') throw invalid(`${field}.name`, 'must be a string');
  refuseUnsafe(address, `${field}.${key}`);
  refuseUnsafe(name, `${field}.name`);
  return withName(parseAddress(address, `${field}.${key}`), name, `${field}.name`);
}

function withName(address: string, name: string, field: string): Mailbox {
  if (name.length > MAX_NAME_LENGTH)
    throw invalid(field, `has a name of more than ${MAX_NAME_LENGTH} characters`);
  return name.trim() === '' ? { address } : { address, name };
}

/** The display name before `<`, with the quotes of a quoted one removed. */
function parsePhrase(phrase: string, field: string): string {
  const name = phrase.trim();
  if (name.length > 1 && name.startsWith('"') && name.endsWith('"')) {
    const inside = name.slice(1, -1);
    if (!/^(?:[^"\\]|\\.)*$/u.test(inside))
      throw invalid(field, 'has a name with a stray quote or backslash');
    return inside.replace(/\\(.)/gu, '$1');
  }
  // A bare comma or bracket would hide a second recipient inside a name.
  if (/[<>",;\\]/.test(name))
    throw invalid(field, 'must be one address; put a name with < > " , ; or \\ in quotes');
  return name;
}

function parseAddress(text: string, field: string): string {
  const address = storedAddress(text);
  if (address === null) throw invalid(field, 'is not an email address');
  return address;
}

/** An address in the form it is kept and compared in, or null where it is none. */
export function storedAddress(text: string): string | null {
  if (text.length <= MAX_LOCAL_BYTES && SURELY_AN_ADDRESS.test(text)) return text;
  // In an address nobody can see a format mark or a foreign space, so those are refused besides controls;
  // specials would need quoting, which no mailbox in use has.
  if (text.length > MAX_ADDRESS_BYTES || FORBIDDEN_IN_ADDRESS.test(text) || hasControlCharacter(text))
    return null;
  const at = text.lastIndexOf('@');
  if (at < 1 || text.indexOf('@') !== at) return null;
  const domain = toAsciiDomain(text.slice(at + 1));
  if (domain === null) return null;
  const address = text.slice(0, at + 1) + domain;
  if (!PLAIN_ASCII.test(address)) {
    if (!isStorableText(address) || Buffer.byteLength(address) > MAX_ADDRESS_BYTES) return null;
    if (Buffer.byteLength(text.slice(0, at)) > MAX_LOCAL_BYTES) return null;
  }
  return isEmail.default(address, ADDRESS_RULES) ? address : null;
}

/** What nearly every address looks like; all rules hold for it, and asking each of them costs ten times as much. */
const SURELY_AN_ADDRESS =
  /^[a-z0-9_+-]+(?:\.[a-z0-9_+-]+)*@[a-z0-9]+(?:-[a-z0-9]+)*(?:\.[a-z0-9]+(?:-[a-z0-9]+)*)*\.[a-z]{2,20}$/;
const FORBIDDEN_IN_ADDRESS = /[\s"(),:;<>[\\\]\p{Cf}\p{Z}]/u;
const PLAIN_ASCII = /^[\x21-\x7e]*$/;
const ASCII_DOMAIN = /^[A-Za-z0-9.-]+$/;
const ADDRESS_RULES = {
  allow_display_name: false,
  require_tld: true,
  allow_utf8_local_part: true,
  allow_ip_domain: false,
};

function toAsciiDomain(domain: string): string | null {
  if (ASCII_DOMAIN.test(domain)) return domain;
  if (!/^[A-Za-z0-9.\u0080-\u{10ffff}-]+$/u.test(domain)) return null;
  return domainInAscii(domain);
}

function refuseUnsafe(text: string, field: string): void {
  if (hasControlCharacter(text)) throw invalid(field, 'contains a control character');
  if (!isStorableText(text)) throw invalid(field, 'is not valid Unicode');
}

function unknownKey(key: string): string {
  const suggestion = key.length > 64 ? null : didYouMean(key, KEYS);
  return `has an unknown key${suggestion === null ? '' : `; did you mean ${suggestion}`}`;
}

function invalid(field: string, problem: string): PostriderError {
  return new PostriderError('INVALID_EMAIL', `${field} ${problem}`, { field });
}
