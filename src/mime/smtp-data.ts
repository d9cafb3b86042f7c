/**
 * The content of SMTP's DATA, chunk by chunk: dots that were doubled at the beginning of a line are taken back, and
 * CRLF, dot, CRLF ends it. One pass over the bytes, in place; a chunk comes out as one chunk.
 */
export class SmtpData {
  private state = LINE_BEGINS;
  /** What may be the end, or a doubled dot, cut off by the end of a chunk. */
  private held = NOTHING;

  /** `rest` is what follows the end; null while there is none. The chunk is written over. */
  read(chunk: Buffer): { content: Buffer; rest: Buffer | null } {
    const bytes = this.held.length === 0 ? chunk : Buffer.concat([this.held, chunk]);
    this.held = NOTHING;
    if (!this.mayHoldDot(bytes)) {
      this.state = stateAfter(bytes, this.state);
      return { content: bytes, rest: null };
    }
    return this.unstuff(bytes);
  }

  private mayHoldDot(bytes: Buffer): boolean {
    const atStart = this.state >= AFTER_LF && bytes[0] === DOT;
    return atStart || bytes.includes(LINE_WITH_DOT);
  }

  private unstuff(bytes: Buffer): { content: Buffer; rest: Buffer | null } {
    let { state } = this;
    let written = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (byte === DOT && state >= AFTER_LF) {
        const left = bytes.length - at;
        const second = bytes[at + 1];
        if (left < 2 || (left < 3 && second === CR && state === LINE_BEGINS)) {
          this.state = state;
          this.held = Buffer.from(bytes.subarray(at));
          return { content: bytes.subarray(0, written), rest: null };
        }
        if (state === LINE_BEGINS && second === CR && bytes[at + 2] === LF) {
          this.state = LINE_BEGINS;
          return { content: bytes.subarray(0, written), rest: bytes.subarray(at + 3) };
        }
        // Of two dots the second is content.
        if (second === DOT) at += 1;
        bytes[written++] = DOT;
        state = INSIDE;
        continue;
      }
      bytes[written++] = byte;
      state = next(state, byte);
    }
    this.state = state;
    return { content: bytes.subarray(0, written), rest: null };
  }
}

const INSIDE = 0;
const AFTER_CR = 1;
/** From here on a dot begins a line; after LF alone it can be doubled and ends nothing. */
const AFTER_LF = 2;
const LINE_BEGINS = 3;

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const LINE_WITH_DOT = Buffer.from('\n.');
const NOTHING = Buffer.alloc(0);

function next(state: number, byte: number): number {
  if (byte === CR) return AFTER_CR;
  if (byte !== LF) return INSIDE;
  return state === AFTER_CR ? LINE_BEGINS : AFTER_LF;
}

function stateAfter(bytes: Buffer, before: number): number {
  let state = before;
  for (const byte of bytes.subarray(-2)) state = next(state, byte);
  return state;
}
