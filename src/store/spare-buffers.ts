/**
 * Large buffers used again. What a batch of emails is sent in would be garbage outside of the heap, which V8 answers
 * with full collections, several a second. Who took one gives it back when nobody reads it any more, or not at all.
 */
export function takeBuffer(bytes: number): Buffer {
  if (bytes < LARGE_BYTES) return Buffer.allocUnsafe(bytes);
  const fits = spare.findIndex(({ byteLength }) => byteLength >= bytes);
  if (fits < 0) return Buffer.allocUnsafeSlow(roomFor(bytes)).subarray(0, bytes);
  return Buffer.from(spare.splice(fits, 1)[0]!, 0, bytes);
}

export function giveBack(buffer: Buffer): void {
  const memory = buffer.buffer as ArrayBuffer;
  // Short ones share a pool of Node's. Only the beginning of a large one may have been used.
  if (buffer.length < LARGE_BYTES || memory.byteLength > roomFor(MOST_BYTES) || spare.includes(memory))
    return;
  spare.unshift(memory);
  spare.length = Math.min(spare.length, MOST_SPARE);
}

const LARGE_BYTES = 64 * 1024;
const MOST_BYTES = 2 * 1024 * 1024;
/** Of each chunk, by lists, the two of bodies: of two chunks that are being written, and of the one that is prepared. */
const MOST_SPARE = 6;
const spare: ArrayBuffer[] = [];

/** Rounded up, so that the next of about this size fits. */
function roomFor(bytes: number): number {
  return Math.ceil((bytes * 1.25) / LARGE_BYTES) * LARGE_BYTES;
}
