import { hasControlCharacter, isStorableText } from '../kernel/index.js';
import { findActiveContent } from './find-active-content.js';

/**
 * What an email's content must be, at intake and again before an attempt for content that came another way.
 * Returns the first problem as a value, or null. It judges and never changes content. Bodies may hold any character
 * a mail client meets in pasted text; they may not hold what no text has (NUL, escape, lone surrogates).
 * Answers at once for nearly every email, and with a promise where the HTML needs a closer look, which takes turns
 * with other work.
 */
export function checkContent(content: Content): ContentJudgement {
  const problem =
    checkSubject(content.subject) ?? checkBody('html', content.html) ?? checkBody('text', content.text);
  if (problem !== null) return problem;
  if (isBlank(content.html))
    return isBlank(content.text) ? newProblem('html', 'and text are both empty') : null;
  return findActiveContent(content.html)?.then(asProblem) ?? null;
}

export type ContentJudgement = ContentProblem | null | Promise<ContentProblem | null>;

export interface Content {
  subject: string;
  html: string;
  text: string;
}

export interface ContentProblem {
  code: 'INVALID_TEMPLATE';
  field: 'subject' | 'html' | 'text';
  /** A whole sentence that begins with the field. */
  message: string;
}

export const MAX_BODY_BYTES = 512 * 1024;
export const MAX_SUBJECT_CHARACTERS = 150;

function checkSubject(subject: string): ContentProblem | null {
  if (subject.trim() === '') return newProblem('subject', 'is empty');
  if (hasControlCharacter(subject)) return newProblem('subject', 'contains a control character');
  if (!isStorableText(subject)) return newProblem('subject', 'is not valid Unicode');
  if (isLongerThan(subject, MAX_SUBJECT_CHARACTERS))
    return newProblem('subject', `is longer than ${MAX_SUBJECT_CHARACTERS} characters`);
  return null;
}

function checkBody(field: 'html' | 'text', body: string): ContentProblem | null {
  if (isOverBytes(body, MAX_BODY_BYTES)) return newProblem(field, 'is larger than 512 KB');
  if (!isStorableText(body)) return newProblem(field, 'contains NUL or is not valid Unicode');
  if (!PLAIN.test(body) && UNPRINTABLE.test(body)) return newProblem(field, 'contains a control character');
  return null;
}

function asProblem(finding: string | null): ContentProblem | null {
  return finding === null ? null : newProblem('html', finding);
}

/** Of most bodies this is all there is to see, in a third of the time. */
const PLAIN = /^[\t-\r -~]*$/;

/** C0 and DEL, but not the white space among them; C1 stays, as mis-decoded quotation marks are common. */
const UNPRINTABLE = /[\u0000-\u0008\u000e-\u001f\u007f]/;

export function isBlank(text: string): boolean {
  return !/\S/.test(text);
}

/** In code points, without walking strings that cannot be too long. */
function isLongerThan(text: string, max: number): boolean {
  if (text.length <= max) return false;
  return text.length > max * 2 || [...text].length > max;
}

function isOverBytes(text: string, max: number): boolean {
  if (text.length * 3 <= max) return false;
  return text.length > max || Buffer.byteLength(text) > max;
}

function newProblem(field: ContentProblem['field'], what: string): ContentProblem {
  return { code: 'INVALID_TEMPLATE', field, message: `${field} ${what}` };
}
