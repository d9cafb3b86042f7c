/**
 * What the data of emails is made of. Everything that may reach a subject or a heading is one line of bounded length,
 * so that no name can break a header; links are http or https; a time zone is one that Intl knows.
 */
import { z } from 'zod';
import { hasControlCharacter, isOfUsualLength } from '../../kernel/index.js';

/** One line of text, from one character to `max`. */
export const line = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .refine((text) => !hasControlCharacter(text), 'it must be one line without control characters');

export const personName = line(80);
/** Of an organisation, a circle, a feed. */
export const thingName = line(100);
/** Several lines. */
export const paragraph = z.string().min(1).max(1000);
export const link = z
  .string()
  .max(2000, { abort: true })
  .refine(isOfUsualLength, { error: 'it has a part that is too long', abort: true })
  .url({ protocol: /^https?$/ });
export const instant = z.iso.datetime({ offset: true });
export const minutes = z
  .int()
  .positive()
  .max(60 * 24 * 7);
export const hours = z
  .int()
  .positive()
  .max(24 * 30);
export const days = z.int().positive().max(3650);
export const sixDigits = z.string().regex(/^\d{6}$/, 'it must be six digits');
/** What someone types in: digits or capital letters. */
export const confirmationCode = z.string().regex(/^[0-9A-Z]{4,10}$/, 'it must be 4 to 10 digits or capitals');
export const timeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'it must be the name of a time zone such as Europe/Berlin');

const MAX_KNOWN = 1000;
const known = new Set<string>();

/** Asking Intl costs more than the whole email, so what is known is remembered. */
function isTimeZone(name: string): boolean {
  if (known.has(name)) return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  if (known.size < MAX_KNOWN) known.add(name);
  return true;
}
