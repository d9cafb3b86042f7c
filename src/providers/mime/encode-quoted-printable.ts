/**
 * Quoted-printable (RFC 2045) of text whose line ends are CRLF. Lines stay within 76 characters and
 * no line ends in a space or tab, which mail servers may strip.
 */
export function encodeQuotedPrintable(bytes: Buffer): Buffer {
  // Worst case: every byte quoted, and a soft break for each 24 of them.
  const out = Buffer.allocUnsafe(bytes.length * 3 + Math.ceil(bytes.length / 24) * 3 + 3);
  let at = 0;
  let column = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === CR && bytes[i + 1] === LF) {
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
      i += 1;
      continue;
    }
    const literal = isLiteral(byte, bytes, i);
    const width = literal ? 1 : 3;
    // One column is kept for the soft break's own sign.
    if (column + width > 75) {
      out[at++] = EQUALS;
      out[at++] = CR;
      out[at++] = LF;
      column = 0;
    }
    if (literal) out[at++] = byte;
    else {
      out[at++] = EQUALS;
      out[at++] = HEX[byte >> 4]!;
      out[at++] = HEX[byte & 15]!;
    }
    column += width;
  }
  return out.subarray(0, at);
}

const CR = 0x0d;
const LF = 0x0a;
const EQUALS = 0x3d;
const HEX = Buffer.from('0123456789ABCDEF');

function isLiteral(byte: number, bytes: Buffer, i: number): boolean {
  if (byte === 0x20 || byte === 0x09) return i + 1 < bytes.length && bytes[i + 1] !== CR;
  return byte > 0x20 && byte < 0x7f && byte !== EQUALS;
}
