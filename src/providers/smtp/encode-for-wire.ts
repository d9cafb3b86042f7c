import { isAscii } from 'node:buffer';
import { takeRoom } from './wire-room.js';

/**
 * The last step before the wire: every line ends in CRLF (a bare CR or LF becomes one), a line that
 * starts with a dot gets a second, and the message ends in CRLF, so that the final dot can follow.
 * Bytes that need none of it are returned as they are; texts that need none of it and are ASCII are
 * written behind each other once, with room behind them for what leaves with the message.
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

function encodeTexts(texts: readonly string[]): WireMessage {
  let size = 0;
  let lineStart = true;
  for (const text of texts) {
    if (!isReady(text, lineStart)) return encodeForWire(Buffer.from(texts.join('')));
    size += text.length;
    if (text !== '') lineStart = text.endsWith('\n');
  }
  if (!lineStart || size === 0) return encodeForWire(Buffer.from(texts.join('')));
  const room = takeRoom(size + ROOM_BEHIND);
  let at = 0;
  for (const text of texts) at += room.write(text, at, 'latin1');
  return { content: room.subarray(0, size), size, room, eightBit: false };
}

const DOT = 0x2e;
const LF = 0x0a;
const CR = 0x0d;

/** Looks only at the line ends, found natively: reading every byte here took six times as long. */
function isReady(text: string, lineStart: boolean): boolean {
  if (Buffer.byteLength(text) !== text.length) return false;
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
