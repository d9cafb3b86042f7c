/**
 * Bytes that arrive in pieces, as one buffer. Small pieces are copied together at once: kept as they come, a body sent
 * byte by byte takes a hundred times its size.
 */
export class ByteCollector {
  private readonly full: Buffer<ArrayBuffer>[] = [];
  private slab: Buffer<ArrayBuffer> | null = null;
  private at = 0;
  private size = 0;

  /**
   * With a length nothing is copied twice, but its memory is taken at once: for what is known to come. A wrong one does no
   * harm otherwise.
   */
  constructor(private readonly announced: number | null = null) {}

  get length(): number {
    return this.size;
  }

  add(piece: Uint8Array): void {
    this.size += piece.byteLength;
    const whole = this.size === piece.byteLength && this.size === this.announced;
    if (whole || (this.announced === null && piece.byteLength >= LARGE_PIECE)) {
      this.closeSlab();
      this.full.push(Buffer.from(piece.buffer as ArrayBuffer, piece.byteOffset, piece.byteLength));
      return;
    }
    for (let from = 0; from < piece.byteLength; ) {
      if (this.slab === null) this.openSlab(piece.byteLength - from);
      const slab = this.slab!;
      const taken = piece.subarray(from, from + slab.length - this.at);
      slab.set(taken, this.at);
      this.at += taken.byteLength;
      from += taken.byteLength;
      if (this.at === slab.length) this.closeSlab();
    }
  }

  /** Ends the collecting. */
  bytes(): Buffer<ArrayBuffer> {
    this.closeSlab();
    const [only] = this.full;
    return this.full.length === 1 ? only! : Buffer.concat(this.full, this.size);
  }

  private openSlab(least: number): void {
    const wanted =
      this.announced === null ? Math.min(this.size, MOST_SLAB) : this.announced - (this.size - least);
    this.slab = Buffer.allocUnsafeSlow(Math.max(wanted, least, LEAST_SLAB));
    this.at = 0;
  }

  private closeSlab(): void {
    if (this.slab !== null && this.at > 0) this.full.push(this.slab.subarray(0, this.at));
    this.slab = null;
    this.at = 0;
  }
}

const LARGE_PIECE = 16 * 1024;
const LEAST_SLAB = 4 * 1024;
const MOST_SLAB = 1024 ** 2;
