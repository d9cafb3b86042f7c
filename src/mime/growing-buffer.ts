/**
 * Bytes that come in pieces, in one buffer. However small the pieces are, no more is held than a third beside what came:
 * a list of a million small ones would take a hundred times their bytes.
 */
export class GrowingBuffer {
  private buffer: Buffer = NOTHING;
  length = 0;

  /** With more than it said it would be it grows in steps. */
  constructor(private readonly expected = 0) {}

  add(piece: Uint8Array): void {
    const needed = this.length + piece.length;
    if (needed > this.buffer.length) this.grow(needed);
    this.buffer.set(piece, this.length);
    this.length = needed;
  }

  /** All of it; afterwards there is nothing. */
  take(): Buffer {
    const taken = this.buffer.subarray(0, this.length);
    this.clear();
    return taken;
  }

  clear(): void {
    this.buffer = NOTHING;
    this.length = 0;
  }

  private grow(needed: number): void {
    const size = needed <= FIRST ? FIRST : Math.max(needed, this.expected, this.buffer.length * 4);
    const larger = Buffer.allocUnsafeSlow(size);
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}

/** Nothing is allocated for a message without content: thousands of them may come in a row. */
const FIRST = 4 * 1024;
const NOTHING = Buffer.alloc(0);
