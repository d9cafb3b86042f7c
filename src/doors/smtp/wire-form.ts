import { PostriderError } from '../../kernel/index.js';

/**
 * What no honest mail program sends and what two readers would read differently: a CR or LF alone, NUL, a header
 * section too large to be one. Refused, never repaired. Looked for while the message arrives, piece by piece.
 */
export class WireForm {
  private size = 0;
  private isCrOpen = false;
  /** Of the line break that the header section ends with, or may end with. */
  private ending = 0;
  private headerEnds = false;

  /** Throws at the piece that is wrong. */
  check(piece: Buffer): void {
    this.checkBytes(piece);
    if (!this.headerEnds) this.measureHeader(piece);
    this.size += piece.length;
  }

  /** Throws where the message ends in the middle of a line break. */
  end(): void {
    if (this.isCrOpen) throw invalidMessage('holds a CR alone');
  }

  private checkBytes(piece: Buffer): void {
    let { isCrOpen } = this;
    for (let at = 0; at < piece.length; at += 1) {
      const byte = piece[at]!;
      if (isCrOpen) {
        if (byte !== LF) throw invalidMessage('holds a CR alone');
        isCrOpen = false;
      } else if (byte <= CR) {
        if (byte === LF) throw invalidMessage('has a line that ends in LF alone');
        if (byte === 0) throw invalidMessage('holds NUL');
        isCrOpen = byte === CR;
      }
    }
    this.isCrOpen = isCrOpen;
  }

  private measureHeader(piece: Buffer): void {
    let at = 0;
    while (at < piece.length && this.ending < HEADER_END.length) {
      this.ending = piece[at] === HEADER_END[this.ending] ? this.ending + 1 : piece[at] === CR ? 1 : 0;
      at += 1;
      if (this.size + at > MAX_HEADER_BYTES + HEADER_END.length)
        throw new PostriderError('PAYLOAD_TOO_LARGE', 'The headers are larger than 64 KB.', {
          field: 'headers',
        });
    }
    this.headerEnds = this.ending === HEADER_END.length;
  }
}

/** Of a message that is there as a whole. */
export function checkWireForm(raw: Buffer): void {
  const form = new WireForm();
  form.check(raw);
  form.end();
}

export function invalidMessage(problem: string, field = 'message'): PostriderError {
  return new PostriderError('INVALID_MESSAGE', `${field === 'message' ? 'The message' : field} ${problem}.`, {
    field,
  });
}

const CR = 0x0d;
const LF = 0x0a;
const HEADER_END = [CR, LF, CR, LF];
const MAX_HEADER_BYTES = 64 * 1024;
