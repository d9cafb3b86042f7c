import { hasControlCharacter, isStorableText } from './control-characters.js';
import { PostriderError } from './errors.js';
import { findHeaderNameProblem, MAX_NAME_LENGTH, readHeaderValue } from './header-value.js';
import { newRecord } from './own-entry.js';

/**
 * Text that may stand in one header line, and the caller's own headers. A checked value can be written as it is:
 * it holds no control character, so no second header can hide in it. Refuses the headers Postrider writes itself, and
 * what the composer could not write (`header-value.ts`); nothing is trimmed, folded or repaired.
 */
export function parseHeaderText(input: unknown, field: string, options: HeaderTextOptions): string {
  if (typeof input !== 'string') throw invalid(field, 'must be a string');
  if (input.length > options.maxLength)
    throw invalid(field, `is longer than ${options.maxLength} characters`);
  if (hasControlCharacter(input)) throw invalid(field, 'contains a control character');
  if (!isStorableText(input)) throw invalid(field, 'is not valid Unicode');
  return input;
}

export interface HeaderTextOptions {
  maxLength: number;
}

/** A map of header names to values; an absent one is empty. `allowance` is for those that were added to the caller's. */
export function parseHeaders(
  input: unknown,
  field: string,
  allowance: HeaderAllowance = NO_ALLOWANCE,
): Record<string, string> {
  if (input === undefined || input === null) return newRecord();
  if (typeof input !== 'object' || Array.isArray(input))
    throw invalid(field, 'must be an object of names and values');
  const names = Object.keys(input);
  if (names.length > MAX_HEADERS + allowance.headers)
    throw invalid(field, `has more than ${MAX_HEADERS} headers`);
  const headers = newRecord<string>();
  const seen = new Set<string>();
  let bytes = 0;
  for (const name of names) {
    const path = checkedPath(name, field);
    const lower = name.toLowerCase();
    if (seen.has(lower)) throw invalid(path, 'is given twice');
    seen.add(lower);
    const value = (input as Record<string, unknown>)[name];
    if (typeof value !== 'string') throw invalid(path, 'must be a string');
    if (value.length > MAX_VALUE_LENGTH) throw invalid(path, `is longer than ${MAX_VALUE_LENGTH} characters`);
    const read = readHeaderValue(name, value);
    if (typeof read === 'string') throw invalid(path, read);
    bytes += name.length + Buffer.byteLength(value);
    if (bytes > MAX_BYTES + allowance.bytes)
      throw invalid(field, `are more than ${MAX_BYTES / 1024} KB in all`);
    headers[name] = value;
  }
  return headers;
}

export interface HeaderAllowance {
  headers: number;
  bytes: number;
}

const NO_ALLOWANCE: HeaderAllowance = { headers: 0, bytes: 0 };

export const MAX_HEADERS = 50;
export const MAX_VALUE_LENGTH = 2000;
/** Many servers take no more than 64 KB, and encoded words may be twice as long. */
const MAX_BYTES = 32 * 1024;
/** Said to Postrider, or said by it. */
const OUR_OWN = /^x-postrider-/i;

/** The field a header is named by, once its name is one that may be given. */
function checkedPath(name: string, field: string): string {
  const problem = findHeaderNameProblem(name);
  if (problem !== null) throw invalid(printablePath(name, field), problem);
  if (OUR_OWN.test(name)) throw invalid(`${field}.${name}`, 'is written by Postrider and cannot be set here');
  return `${field}.${name}`;
}

/** With the name only when it is short enough and harmless to print. */
function printablePath(name: string, field: string): string {
  const printable = name.length <= MAX_NAME_LENGTH && !hasControlCharacter(name) && isStorableText(name);
  return printable ? `${field}.${name}` : field;
}

function invalid(field: string, problem: string): PostriderError {
  return new PostriderError('INVALID_HEADER', `${field} ${problem}`, { field });
}
