import {
  type Fields,
  invalidPayload,
  parseChoice,
  parseLine,
  parseMailbox,
  parseMailboxes,
  parsePattern,
  parseString,
} from '../../kernel/index.js';

/** The content of a stored template; `null` is not said. */
export interface StoredContent {
  subject: string | null;
  html: string;
  text: string | null;
  from: string | null;
  replyTo: string[] | null;
  variables: StoredVariable[];
}

export interface StoredVariable {
  key: string;
  type: 'string' | 'number';
  fallback: string | number | null;
}

export interface ParsedTemplate {
  name: string;
  alias: string | null;
  content: StoredContent;
}

/** What a door says of a template, over what there is; a field left out stays as it is. Every refusal names its field. */
export function parseStoredTemplate(input: unknown, before: ParsedTemplate | null): ParsedTemplate {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidPayload('', 'The body must be an object.');
  const given = input as Fields;
  const said = <T>(
    field: string,
    parse: (value: unknown, field: string) => T | null,
    otherwise: T | null,
  ): T | null =>
    !Object.hasOwn(given, field) || given[field] === undefined
      ? otherwise
      : given[field] === null
        ? null
        : parse(given[field], field);
  const name = said('name', (value, field) => parseLine(value, field, 200), before?.name ?? null);
  const html = said('html', bounded, before?.content.html ?? null);
  if (name === null) throw invalidPayload('name', 'is missing');
  if (html === null) throw invalidPayload('html', 'is missing');
  const old = before?.content;
  return {
    name,
    alias: said('alias', aliasOf, before?.alias ?? null),
    content: {
      html,
      subject: said('subject', (value, field) => parseLine(value, field, 500), old?.subject ?? null),
      text: said('text', bounded, old?.text ?? null),
      from: said('from', mailbox, old?.from ?? null),
      replyTo: said('reply_to', mailboxes, old?.replyTo ?? null),
      variables: said('variables', variablesOf, old?.variables ?? null) ?? [],
    },
  };
}

const MAX_CHARACTERS = 512 * 1024;
const MAX_VARIABLES = 50;
/** Of a variable, given or in its stead. */
export const MAX_VALUE = 2000;
const KEY = /^[A-Za-z][A-Za-z0-9_]{0,49}$/;

function bounded(value: unknown, field: string): string | null {
  const text = parseString(value, field);
  if (text !== null && text.length > MAX_CHARACTERS) throw invalidPayload(field, 'is longer than 512 KB');
  return text;
}

function aliasOf(value: unknown, field: string): string | null {
  return parsePattern(
    value,
    field,
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    'letters, digits, dots, dashes or underscores',
  );
}

/** Kept as written, once it is known to be an address. */
function mailbox(value: unknown, field: string): string {
  parseMailbox(value, field);
  return String(value);
}

function mailboxes(value: unknown, field: string): string[] {
  parseMailboxes(value, field, 10);
  return [value].flat().map(String);
}

function variablesOf(value: unknown, field: string): StoredVariable[] {
  if (!Array.isArray(value)) throw invalidPayload(field, 'must be a list');
  if (value.length > MAX_VARIABLES) throw invalidPayload(field, `has more than ${MAX_VARIABLES} entries`);
  return value.map((item: unknown, index) => {
    const at = `${field}[${index}]`;
    const given = (typeof item === 'object' && item !== null ? item : {}) as Fields;
    const key = parsePattern(
      given.key,
      `${at}.key`,
      KEY,
      'a letter and up to 49 letters, digits or underscores',
    );
    if (key === null) throw invalidPayload(`${at}.key`, 'is missing');
    const type =
      parseChoice(given.type ?? undefined, `${at}.type`, ['string', 'number'] as const) ?? 'string';
    const fallback = (given.fallback_value ?? null) as string | number | null;
    if (fallback !== null && typeof fallback !== type)
      throw invalidPayload(`${at}.fallback_value`, `must be a ${type}`);
    if (typeof fallback === 'string' && parseString(fallback, `${at}.fallback_value`)!.length > MAX_VALUE)
      throw invalidPayload(`${at}.fallback_value`, `is longer than ${MAX_VALUE} characters`);
    return { key, type, fallback };
  });
}
