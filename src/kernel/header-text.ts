import { hasControlCharacter, isStorableText } from './control-characters.js';
import { PostriderError } from './errors.js';

/**
 * Text that may stand in one header line, and the caller's own headers. A checked value can be written as it is:
 * it holds no control character, so no second header can hide in it. Refuses the headers Postrider writes itself;
 * nothing is trimmed, folded or repaired.
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

/** A map of header names to values; an absent one is empty. */
export function parseHeaders(input: unknown, field: string): Record<string, string> {
  if (input === undefined || input === null) return {};
  if (typeof input !== 'object' || Array.isArray(input))
    throw invalid(field, 'must be an object of names and values');
  const names = Object.keys(input);
  if (names.length > MAX_HEADERS) throw invalid(field, `has more than ${MAX_HEADERS} headers`);
  const headers: Record<string, string> = {};
  const seen = new Set<string>();
  for (const name of names) {
    const lower = parseName(name, field);
    if (seen.has(lower)) throw invalid(`${field}.${name}`, 'is given twice');
    seen.add(lower);
    const value = (input as Record<string, unknown>)[name];
    headers[name] = parseHeaderText(value, `${field}.${name}`, { maxLength: MAX_VALUE_LENGTH });
  }
  return headers;
}

export const MAX_HEADERS = 50;
const MAX_NAME_LENGTH = 64;
export const MAX_VALUE_LENGTH = 2000;
const NAME = /^[A-Za-z][A-Za-z0-9-]*$/;
const STRUCTURAL =
  /^(?:from|to|cc|bcc|subject|date|message-id|mime-version|content-.*|sender|return-path|received|dkim-signature|reply-to|x-postrider-.*)$/;
const PROTOTYPE_KEYS = new Set(['__proto__', 'constructor', 'prototype']);

function parseName(name: string, field: string): string {
  // The name stands in the field path only when it is short enough and harmless to print.
  if (name.length > MAX_NAME_LENGTH)
    throw invalid(field, `has a name of more than ${MAX_NAME_LENGTH} characters`);
  const path = hasControlCharacter(name) || !isStorableText(name) ? field : `${field}.${name}`;
  const lower = name.toLowerCase();
  if (PROTOTYPE_KEYS.has(lower)) throw invalid(path, 'is not a header name');
  if (!NAME.test(name))
    throw invalid(path, 'is not a header name: letters, digits and hyphens, a letter first');
  if (STRUCTURAL.test(lower)) throw invalid(path, 'is written by Postrider and cannot be set here');
  return lower;
}

function invalid(field: string, problem: string): PostriderError {
  return new PostriderError('INVALID_HEADER', `${field} ${problem}`, { field });
}
