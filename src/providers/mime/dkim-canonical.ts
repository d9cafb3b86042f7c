/**
 * The relaxed canonical forms of RFC 6376, section 3.4: what a signature covers, so that folding and
 * white space may change on the way. Expects CRLF line ends, which our messages have.
 */
export function relaxHeader(line: string): string {
  const colon = line.indexOf(':');
  const name = line.slice(0, colon).trim().toLowerCase();
  const value = line
    .slice(colon + 1)
    .replace(/\r\n/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
  return `${name}:${value}`;
}

/** Runs of white space become one space, none is left before a line end, nor an empty line at the end. */
export function relaxBody(body: Buffer): Buffer {
  const out = Buffer.allocUnsafe(body.length + 2);
  let length = 0;
  let ended = 0;
  let space = false;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    if (byte === SPACE || byte === TAB) {
      space = true;
    } else if (byte === CR && body[i + 1] === LF) {
      space = false;
      out[length++] = CR;
      out[length++] = LF;
      i += 1;
    } else {
      if (space) out[length++] = SPACE;
      space = false;
      out[length++] = byte;
      ended = length;
    }
  }
  // Everything after the last visible byte is empty lines; a body that has one ends in one CRLF.
  if (ended === 0) return out.subarray(0, 0);
  out[ended] = CR;
  out[ended + 1] = LF;
  return out.subarray(0, ended + 2);
}

const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
