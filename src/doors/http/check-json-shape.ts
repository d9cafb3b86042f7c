/**
 * Refuses JSON that would cost far more memory or stack than its bytes: too deep or too many values.
 * It runs before JSON.parse (a body of `[[[[…` becomes forty times its size) and skips strings whole,
 * so a body that is one large attachment costs next to nothing. Whether the text is JSON is not its question.
 */
import { PostriderError } from '../../kernel/index.js';

export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_VALUES = 100_000;

export function checkJsonShape(text: string): void {
  let depth = 0;
  let values = 1;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at);
        break;
      case OPEN_BRACKET:
      case OPEN_BRACE:
        values++;
        if (++depth > MAX_JSON_DEPTH) throw refused(`nested deeper than ${MAX_JSON_DEPTH} levels`);
        break;
      case CLOSE_BRACKET:
      case CLOSE_BRACE:
        depth--;
        break;
      case COMMA:
        if (!isBetweenNumbers(text, at) && ++values > MAX_JSON_VALUES)
          throw refused(`made of more than ${MAX_JSON_VALUES} values`);
        break;
    }
  }
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const SPACE = 0x20;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** A list of bytes, as older Resend clients send files, takes a few times its length and no more. */
function isBetweenNumbers(text: string, comma: number): boolean {
  const after = text.charCodeAt(comma + 1) === SPACE ? comma + 2 : comma + 1;
  return isDigit(text.charCodeAt(comma - 1)) && isDigit(text.charCodeAt(after));
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end !== -1 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end === -1 ? text.length : end;
}

/** An odd number of backslashes before a quote makes it part of the string. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (quote - before) % 2 === 0;
}

function refused(what: string): PostriderError {
  return new PostriderError('INVALID_JSON', `The body is ${what}.`);
}
