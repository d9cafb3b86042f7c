/**
 * The last step before the wire: every line ends in CRLF (a bare CR or LF becomes one), a line that
 * starts with a dot gets a second, and the message ends in CRLF, so that the final dot can follow.
 * A message that needs none of it is returned as it is, after one pass over its bytes.
 */
export function encodeForWire(message: Buffer): WireMessage {
  let extra = 0;
  let eightBit = false;
  let lineStart = true;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i]!;
    if (byte === DOT && lineStart) extra += 1;
    lineStart = false;
    if (byte === LF) {
      extra += 1;
      lineStart = true;
    } else if (byte === CR) {
      lineStart = true;
      if (message[i + 1] === LF) i += 1;
      else extra += 1;
    } else if (byte > 0x7f) eightBit = true;
  }
  if (!lineStart || message.length === 0) extra += 2;
  return { bytes: extra === 0 ? message : rewrite(message, extra), eightBit };
}

export interface WireMessage {
  /** Everything up to, not including, the final dot. */
  bytes: Buffer;
  /** Whether a byte above 127 occurs, which needs 8BITMIME. */
  eightBit: boolean;
}

const DOT = 0x2e;
const LF = 0x0a;
const CR = 0x0d;

function rewrite(message: Buffer, extra: number): Buffer {
  const out = Buffer.allocUnsafe(message.length + extra);
  let at = 0;
  let lineStart = true;
  for (let i = 0; i < message.length; i++) {
    const byte = message[i]!;
    if (byte === DOT && lineStart) out[at++] = DOT;
    lineStart = byte === LF || byte === CR;
    if (!lineStart) {
      out[at++] = byte;
      continue;
    }
    out[at++] = CR;
    out[at++] = LF;
    if (byte === CR && message[i + 1] === LF) i += 1;
  }
  if (!lineStart || message.length === 0) {
    out[at++] = CR;
    out[at++] = LF;
  }
  return out;
}
