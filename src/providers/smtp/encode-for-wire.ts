import { isAscii } from 'node:buffer';
import { takeRoom } from './wire-room.js';

/**
 * The last step before the wire: every line ends in CRLF (a bare CR or LF becomes one), a line that
 * starts with a dot gets a second, and the message ends in CRLF, so that the final dot can follow.
 * Bytes that need none of it are returned as they are; ASCII texts are written line by line behind each
 * other, with room behind them for what leaves with the message.
 */
export function encodeForWire(message: Buffer | readonly string[]): WireMessage {
  if (!Buffer.isBuffer(message)) return encodeTexts(message);
  const content = isReadyBytes(message) ? message : rewrite(message);
  return { content, size: content.length, room: null, eightBit: !isAscii(message) };
}

export interface WireMessage {
  /** Everything up to, not including, the final dot. */
  content: Buffer;
  /** In bytes. */
  size: number;
  /** The content and free bytes behind it, which are good for one write; null: none. */
  room: Buffer | null;
  /** Whether a byte above 127 occurs, which needs 8BITMIME. */
  eightBit: boolean;
}

/** Enough for the dot and an envelope of one recipient. */
const ROOM_BEHIND = 512;

/** Where a message is put together until its size is known. */
const scratch = Buffer.allocUnsafeSlow(256 * 1024);
/** Every line feed becomes two bytes, and a dot that begins a line. */
const MOST_BYTES_OF_A_CHARACTER = 2;

function encodeTexts(texts: readonly string[]): WireMessage {
  const asBytes = () => encodeForWire(Buffer.from(texts.join('')));
  let most = 0;
  for (const text of texts) most += text.length * MOST_BYTES_OF_A_CHARACTER;
  if (most > scratch.length) return asBytes();
  let size = 0;
  for (const text of texts) {
    size = writeText(text, size);
    if (size === NOT_PLAIN) return asBytes();
  }
  if (size === 0 || scratch[size - 1] !== LF) return asBytes();
  const room = takeRoom(size + ROOM_BEHIND);
  scratch.copy(room, 0, 0, size);
  return { content: room.subarray(0, size), size, room, eightBit: false };
}

const DOT = 0x2e;
const LF = 0x0a;
const CR = 0x0d;
const NOT_PLAIN = -1;

/** Writes a text behind what is there and says where it ends. Bytes above 127 and bare CRs are for the others. */
function writeText(text: string, from: number): number {
  if (Buffer.byteLength(text) !== text.length) return NOT_PLAIN;
  const lineStart = from === 0 || scratch[from - 1] === LF;
  if (!text.includes('\r')) return writeLines(text, from, lineStart);
  return isReady(text, lineStart) ? from + scratch.write(text, from, 'latin1') : NOT_PLAIN;
}

/** A text without CR. By lines, found and copied natively: looking at every character here took five times as long. */
function writeLines(text: string, from: number, atLineStart: boolean): number {
  let at = from;
  let start = 0;
  let lineStart = atLineStart;
  while (start < text.length) {
    const lf = text.indexOf('\n', start);
    const end = lf < 0 ? text.length : lf;
    if (lineStart && text.charCodeAt(start) === DOT) scratch[at++] = DOT;
    if (end > start) at += scratch.write(text.slice(start, end), at, 'latin1');
    if (lf < 0) return at;
    scratch[at++] = CR;
    scratch[at++] = LF;
    start = lf + 1;
    lineStart = true;
  }
  return at;
}

/** An ASCII text whose line ends are all CRLF, and none of whose lines begins with a dot. */
function isReady(text: string, lineStart: boolean): boolean {
  if (lineStart && text.charCodeAt(0) === DOT) return false;
  let lines = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== CR || text.charCodeAt(at + 1) === DOT) return false;
    lines += 1;
  }
  let returns = 0;
  for (let at = text.indexOf('\r'); at >= 0; at = text.indexOf('\r', at + 1)) returns += 1;
  return returns === lines;
}

/** The same of bytes, and without making a text of them, which for a large message is memory. */
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
