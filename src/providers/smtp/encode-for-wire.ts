import { isAscii } from 'node:buffer';

/**
 * The last step before the wire: every line ends in CRLF (a bare CR or LF becomes one), a line that
 * starts with a dot gets a second, and the message ends in CRLF, so that the final dot can follow.
 * A message that needs none of it is returned as it is; a short one in ASCII stays text, which a
 * socket takes without a buffer.
 */
export function encodeForWire(message: Buffer | string): WireMessage {
  if (typeof message === 'string') {
    const short = message.length <= MAX_TEXT && Buffer.byteLength(message) === message.length;
    if (short && isReady(message)) return { content: message, size: message.length, eightBit: false };
    return encodeForWire(Buffer.from(message));
  }
  const content = isReadyBytes(message) ? message : rewrite(message);
  return { content, size: content.length, eightBit: !isAscii(message) };
}

export interface WireMessage {
  /** Everything up to, not including, the final dot. Text is ASCII. */
  content: Buffer | string;
  /** In bytes. */
  size: number;
  /** Whether a byte above 127 occurs, which needs 8BITMIME. */
  eightBit: boolean;
}

/** Up to here libuv writes text from the stack. */
const MAX_TEXT = 16 * 1024;

const DOT = 0x2e;
const LF = 0x0a;
const CR = 0x0d;

/** Looks only at the line ends, found natively: reading every byte here took six times as long. */
function isReady(text: string): boolean {
  if (!text.endsWith('\r\n') || text.startsWith('.')) return false;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== CR || text.charCodeAt(at + 1) === DOT) return false;
    lines += 1;
  }
  let returns = 0;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) returns += 1;
  return returns === lines;
}

/** The same without making a text of it, which for a large message is memory. */
function isReadyBytes(bytes: Buffer): boolean {
  if (bytes.at(-1) !== LF || bytes.at(-2) !== CR || bytes[0] === DOT) return false;
  let lines = 0;
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (bytes[at - 1] !== CR || bytes[at + 1] === DOT) return false;
    lines += 1;
  }
  let returns = 0;
  for (let at = bytes.indexOf(CR); at >= 0; at = bytes.indexOf(CR, at + 1)) returns += 1;
  return returns === lines;
}

function rewrite(message: Buffer): Buffer {
  // Worst case: every byte is a line end of its own, or a dot that begins a line.
  const out = Buffer.allocUnsafe(message.length * 2 + 2);
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
  return out.subarray(0, at);
}
