import type { TextInPieces } from './database.js';
import { takeBuffer } from './spare-buffers.js';

/**
 * A `text[]` parameter in PostgreSQL's binary form. In text form every quote and backslash of a list of
 * HTML bodies is escaped here and read twice, byte by byte, there. A large text may come in pieces, which are put together
 * here and nowhere else.
 */
export function binaryTextArray(texts: ReadonlyArray<TextInPieces | null>): Buffer {
  let size = HEADER_BYTES;
  const lengths = texts.map((text) => {
    const length = text === null ? 0 : bytesOf(text);
    size += LENGTH_BYTES + length;
    return length;
  });
  const out = takeBuffer(size);
  // dimensions, whether there are nulls, the type of the elements, how many, the first index
  let at = out.writeInt32BE(1, 0);
  at = out.writeInt32BE(texts.includes(null) ? 1 : 0, at);
  at = out.writeInt32BE(TEXT_TYPE, at);
  at = out.writeInt32BE(texts.length, at);
  at = out.writeInt32BE(1, at);
  for (const [index, text] of texts.entries()) {
    at = out.writeInt32BE(text === null ? NULL_LENGTH : lengths[index]!, at);
    if (text === null) continue;
    if (typeof text === 'string') at += out.write(text, at);
    else for (const piece of text) at += out.write(piece, at);
  }
  return out;
}

const HEADER_BYTES = 20;
const LENGTH_BYTES = 4;
const NULL_LENGTH = -1;
const TEXT_TYPE = 25;

function bytesOf(text: TextInPieces): number {
  if (typeof text === 'string') return Buffer.byteLength(text);
  return text.reduce((sum, piece) => sum + Buffer.byteLength(piece), 0);
}
