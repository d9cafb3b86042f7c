/**
 * Refuses JSON that would cost far more memory or stack than its bytes: too deep or too many values.
 * It runs before JSON.parse (a body of `[[[[…` becomes forty times its size) and skips strings whole,
 * so a body that is one large attachment costs next to nothing. Whether the text is JSON is not its question.
 */
import { PostriderError } from './errors.js';

export const MAX_JSON_DEPTH = 64;
export const MAX_JSON_VALUES = 100_000;
/** Each takes up to 24 bytes while it is parsed, so that these take no more than a body of 16 MB may. */
export const MAX_JSON_BYTES = 1_500_000;

/** `what` names the text in the refusal: "The body". */
export function checkJsonShape(text: string, what: string): void {
  new JsonShape(text, what).lookTo(text.length);
}

/** The same in parts, for a text that takes long to look through. */
export class JsonShape {
  private at = 0;
  private inString = false;
  private depth = 0;
  private values = 1;
  private bytes = 0;

  constructor(
    private readonly text: string,
    private readonly what: string,
  ) {}

  /** Goes on from where it was; it may stop a little beyond the place. */
  lookTo(end: number): void {
    const { text } = this;
    for (; this.at < end; this.at++) {
      if (this.inString) {
        this.leaveString(end);
        continue;
      }
      switch (text.charCodeAt(this.at)) {
        case QUOTE:
          this.inString = true;
          break;
        case OPEN_BRACKET:
        case OPEN_BRACE:
          this.values++;
          if (++this.depth > MAX_JSON_DEPTH)
            throw this.refused(`nested deeper than ${MAX_JSON_DEPTH} levels`);
          break;
        case CLOSE_BRACKET:
        case CLOSE_BRACE:
          this.depth--;
          break;
        case COMMA:
          this.count();
          break;
      }
    }
  }

  private leaveString(end: number): void {
    const { text } = this;
    let quote = text.indexOf('"', this.at);
    while (quote !== -1 && quote < end && isEscaped(text, quote)) quote = text.indexOf('"', quote + 1);
    this.at = quote === -1 ? text.length : quote;
    this.inString = quote === -1 || isEscaped(text, quote);
  }

  private count(): void {
    if (isBetweenBytes(this.text, this.at)) {
      if (++this.bytes > MAX_JSON_BYTES)
        throw this.refused(`made of more than ${MAX_JSON_BYTES} bytes listed as numbers`);
    } else if (++this.values > MAX_JSON_VALUES)
      throw this.refused(`made of more than ${MAX_JSON_VALUES} values`);
  }

  private refused(is: string): PostriderError {
    return new PostriderError('INVALID_JSON', `${this.what} is ${is}.`);
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
function isBetweenBytes(text: string, comma: number): boolean {
  const after = text.charCodeAt(comma + 1) === SPACE ? comma + 2 : comma + 1;
  return isDigit(text.charCodeAt(comma - 1)) && isByte(text, after);
}

/** One to three digits and then the next, or the end of the list. */
function isByte(text: string, from: number): boolean {
  let at = from;
  while (at < from + 3 && isDigit(text.charCodeAt(at))) at++;
  const code = text.charCodeAt(at);
  return at > from && (code === COMMA || code === CLOSE_BRACKET);
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

/** An odd number of backslashes before a quote makes it part of the string. */
function isEscaped(text: string, quote: number): boolean {
  let before = quote - 1;
  while (text.charCodeAt(before) === BACKSLASH) before--;
  return (quote - before) % 2 === 0;
}
