import { encodeQuotedPrintable } from './encode-quoted-printable.js';

/**
 * Text as a transfer-encoded body: as it is when it is plain ASCII in short lines, quoted-printable
 * when it mostly is, base64 when it mostly is not. Nothing changes but line ends, which become CRLF; those of a 7bit
 * body may be left as LF, for `withCrlf` or the last step before the wire.
 */
export function encodeBodyPart(content: string, boundary: string): EncodedBody {
  if (isPlain(content) && !content.includes(boundary)) return { encoding: '7bit', body: content };
  const text = withCrlf(content);
  if (PLAIN.test(text) && !hasLongLine(text) && !text.includes(boundary)) {
    return { encoding: '7bit', body: text };
  }
  const bytes = Buffer.from(text, 'utf8');
  // A non-ASCII byte costs three characters quoted and 4/3 in base64.
  if (countEightBit(bytes) * 5 > bytes.length) {
    return { encoding: 'base64', body: wrapBase64(bytes.toString('base64')) };
  }
  return { encoding: 'quoted-printable', body: encodeQuotedPrintable(bytes) };
}

/** Lines end in CRLF; those of a 7bit body may all end in LF. Quoted-printable may be three times its text: bytes alone. */
export type EncodedBody =
  | { encoding: '7bit' | 'base64'; body: string }
  | { encoding: 'quoted-printable'; body: Buffer };

export function withCrlf(text: string): string {
  // Four times as fast as the expression, and nearly all text has no CR.
  return text.includes('\r') ? text.replace(/\r\n|\r|\n/g, '\r\n') : text.replaceAll('\n', '\r\n');
}

/**
 * Whether 7bit may hold it and its lines end in LF. By what is searched for natively: an expression that names every
 * character takes several times as long. What else is not printable is refused with the email; vertical white space is not,
 * and some readers take it for a line end.
 */
function isPlain(text: string): boolean {
  return (
    Buffer.byteLength(text) === text.length &&
    !FORBIDDEN.some((one) => text.includes(one)) &&
    !hasLongLine(text)
  );
}

const FORBIDDEN = ['\r', '\0', '\v', '\f'];

const PLAIN = /^[\t\r\n\x20-\x7e]*$/;
const MAX_PLAIN_LINE = 900;

// A regular expression for this tries every position of every line: half a millisecond an email.
function hasLongLine(text: string): boolean {
  let start = 0;
  for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', start)) {
    if (end - start > MAX_PLAIN_LINE) return true;
    start = end + 1;
  }
  return text.length - start > MAX_PLAIN_LINE;
}

function countEightBit(bytes: Buffer): number {
  let count = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! > 0x7f) count += 1;
  return count;
}

function wrapBase64(text: string): string {
  return text.replace(/.{76}(?=.)/g, '$&\r\n');
}
