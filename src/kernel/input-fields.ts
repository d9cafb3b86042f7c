import { didYouMean } from './config/did-you-mean.js';
import { hasControlCharacter, isStorableText } from './control-characters.js';
import type { ErrorCode } from './error-table.js';
import { PostriderError } from './errors.js';

/**
 * Reading the keys of a JSON object from outside, one rule per function. Only own keys count, an unknown one is an
 * error that names the likely one, and null or undefined both mean "not given" unless null is kept. Every refusal
 * names its field.
 */
export function readFields(
  input: unknown,
  path: string,
  known: readonly string[],
  options: { keepNull?: boolean } = {},
): Fields {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw invalidPayload(path, path === '' ? 'the input must be an object' : 'must be an object');
  const fields: Fields = Object.create(null);
  for (const key of Object.keys(input)) {
    if (!known.includes(key)) throw unknownKey(path, key, known);
    const value = (input as Fields)[key];
    if (value !== undefined && (value !== null || options.keepNull)) fields[key] = value;
  }
  return fields;
}

export type Fields = Record<string, unknown>;

/** Any text the store can hold. */
export function parseString(input: unknown, field: string): string | null {
  if (input === undefined) return null;
  if (typeof input !== 'string') throw invalidPayload(field, 'must be a string');
  if (!isStorableText(input)) throw invalidPayload(field, 'contains NUL or is not valid Unicode');
  return input;
}

/** One line without control characters, not empty. */
export function parseLine(input: unknown, field: string, maxLength: number): string | null {
  const text = parseString(input, field);
  if (text === null) return null;
  if (text.length === 0 || text.length > maxLength)
    throw invalidPayload(field, `must have 1 to ${maxLength} characters`);
  if (hasControlCharacter(text)) throw invalidPayload(field, 'contains a control character');
  return text;
}

export function parsePattern(input: unknown, field: string, pattern: RegExp, meaning: string): string | null {
  if (input === undefined) return null;
  if (typeof input !== 'string' || !pattern.test(input)) throw invalidPayload(field, `must be ${meaning}`);
  return input;
}

export function parseChoice<T extends string>(
  input: unknown,
  field: string,
  choices: readonly T[],
): T | null {
  if (input === undefined) return null;
  const choice = choices.find((candidate) => candidate === input);
  if (choice === undefined) throw invalidPayload(field, `must be one of ${choices.join(', ')}`);
  return choice;
}

export function invalidPayload(
  field: string,
  problem: string,
  code: ErrorCode = 'INVALID_PAYLOAD',
): PostriderError {
  if (field === '') return new PostriderError(code, problem);
  return new PostriderError(code, `${field}${problem.startsWith(',') ? '' : ' '}${problem}`, { field });
}

/** A key as part of a field path: what would not print, or would fill a screen, is left out. */
export function pathTo(path: string, key: string): string {
  if (key.length > 64 || hasControlCharacter(key) || !isStorableText(key))
    return path === '' ? '(a key)' : path;
  return path === '' ? key : `${path}.${key}`;
}

function unknownKey(path: string, key: string, known: readonly string[]): PostriderError {
  const suggestion = key.length > 64 ? null : didYouMean(key, known);
  const hint = suggestion === null ? '' : `; did you mean ${suggestion}`;
  return invalidPayload(pathTo(path, key), `is not a known field${hint}`);
}
