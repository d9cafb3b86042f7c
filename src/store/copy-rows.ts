import { giveBack, takeBuffer } from './spare-buffers.js';

/**
 * Rows in the binary form of COPY, of one table after another, framed as the messages a connection sends. The caller
 * gives each row as many values as the table was begun with, in the order of its columns.
 */
export class CopyRows {
  private readonly full: Buffer[] = [];
  private piece: Buffer;
  private at = 0;
  /** Where the message that is being written has its length. */
  private lengthAt = 0;
  private columns = 0;

  private readonly pieceBytes: number;

  /** `bytes` is a guess: what does not fit goes on in another piece. */
  constructor(bytes: number) {
    this.pieceBytes = Math.max(bytes, LEAST_BYTES);
    this.piece = takeBuffer(this.pieceBytes);
  }

  beginTable(columns: number): void {
    this.columns = columns;
    this.room(HEADER.length);
    this.openMessage();
    this.at += HEADER.copy(this.piece, this.at);
  }

  endTable(): void {
    this.room(2);
    this.at = this.piece.writeInt16BE(-1, this.at);
    this.closeMessage();
    this.piece[this.at] = COPY_DONE;
    this.at = this.piece.writeInt32BE(LENGTH_BYTES, this.at + 1);
  }

  row(): void {
    this.room(2);
    this.at = this.piece.writeInt16BE(this.columns, this.at);
  }

  /** Returns how many bytes it has. */
  text(value: string | null): number {
    if (value === null) return this.nothing();
    if (this.left < LENGTH_BYTES + value.length * MOST_BYTES_OF_A_CHARACTER) {
      this.room(LENGTH_BYTES + Buffer.byteLength(value));
    }
    const bytes = this.writeShort(value) ?? this.piece.write(value, this.at + LENGTH_BYTES);
    this.piece.writeInt32BE(bytes, this.at);
    this.at += LENGTH_BYTES + bytes;
    return bytes;
  }

  /** A `jsonb`, given as JSON. */
  json(value: string | null): void {
    if (value === null) return void this.nothing();
    const bytes = Buffer.byteLength(value);
    this.size(1 + bytes);
    this.piece[this.at] = JSONB_VERSION;
    this.at += 1 + this.piece.write(value, this.at + 1);
  }

  uuid(value: string | null): void {
    if (value === null) return void this.nothing();
    this.size(UUID_BYTES);
    if (value.length !== UUID_CHARACTERS) throw notUuid(value);
    const { piece } = this;
    let from = 0;
    for (let to = this.at; to < this.at + UUID_BYTES; to++) {
      if (isDashPlace(from) && value.charCodeAt(from++) !== DASH) throw notUuid(value);
      const byte = (digit(value, from) << 4) | digit(value, from + 1);
      if (byte < 0) throw notUuid(value);
      piece[to] = byte;
      from += 2;
    }
    this.at += UUID_BYTES;
  }

  /** A `bytea`, given in hexadecimal. */
  bytes(hex: string): void {
    this.size(hex.length / 2);
    this.at += this.piece.write(hex, this.at, 'hex');
  }

  smallint(value: number): void {
    this.size(2);
    this.at = this.piece.writeInt16BE(value, this.at);
  }

  integer(value: number): void {
    this.size(4);
    this.at = this.piece.writeInt32BE(value, this.at);
  }

  boolean(value: boolean): void {
    this.size(1);
    this.at = this.piece.writeUInt8(value ? 1 : 0, this.at);
  }

  /** A `timestamptz`. */
  time(value: Date | null): void {
    if (value === null) return void this.nothing();
    this.size(8);
    this.at = this.piece.writeBigInt64BE(BigInt(value.getTime() - YEAR_2000_MS) * 1000n, this.at);
  }

  /** All messages, once every table has ended. */
  messages(): Buffer[] {
    return [...this.full, this.piece.subarray(0, this.at)];
  }

  /** When the server has answered: the memory may serve the next rows. */
  release(): void {
    for (const piece of [...this.full, this.piece]) giveBack(piece);
  }

  /** A call out of JavaScript takes longer than a short text; null: it is not short, or not ASCII. */
  private writeShort(value: string): number | null {
    if (value.length > SHORT_CHARACTERS) return null;
    const { piece } = this;
    const from = this.at + LENGTH_BYTES;
    for (let at = 0; at < value.length; at++) {
      const code = value.charCodeAt(at);
      if (code > LAST_ASCII) return null;
      piece[from + at] = code;
    }
    return value.length;
  }

  private get left(): number {
    return this.piece.length - this.at - END_BYTES;
  }

  private nothing(): number {
    this.room(LENGTH_BYTES);
    this.at = this.piece.writeInt32BE(NULL_SIZE, this.at);
    return 0;
  }

  private size(bytes: number): void {
    this.room(LENGTH_BYTES + bytes);
    this.at = this.piece.writeInt32BE(bytes, this.at);
  }

  /** A message may end anywhere in a row, and the next goes on there. */
  private room(bytes: number): void {
    if (this.left >= bytes) return;
    const midTable = this.lengthAt > 0;
    if (midTable) this.closeMessage();
    this.full.push(this.piece.subarray(0, this.at));
    this.piece = takeBuffer(Math.max(bytes + FRAME_BYTES + END_BYTES, this.pieceBytes));
    this.at = 0;
    if (midTable) this.openMessage();
  }

  private openMessage(): void {
    this.piece[this.at] = COPY_DATA;
    this.lengthAt = this.at + 1;
    this.at += FRAME_BYTES;
  }

  private closeMessage(): void {
    this.piece.writeInt32BE(this.at - this.lengthAt, this.lengthAt);
    this.lengthAt = 0;
  }
}

const COPY_DATA = 0x64;
const COPY_DONE = 0x63;
/** A signature, then flags and the length of an extension, both none. */
const HEADER = Buffer.from('PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0', 'latin1');
const LENGTH_BYTES = 4;
const FRAME_BYTES = 1 + LENGTH_BYTES;
/** What must still fit behind any row: the end of the table, and the beginning of the next. */
const END_BYTES = 2 + FRAME_BYTES * 2 + HEADER.length;
const LEAST_BYTES = 4096;
const NULL_SIZE = -1;
const JSONB_VERSION = 1;
const UUID_BYTES = 16;
const UUID_CHARACTERS = 36;
const SHORT_CHARACTERS = 40;
const LAST_ASCII = 0x7f;
const DASH = 0x2d;
const NO_DIGIT = -1;
const DIGITS = new Int8Array(LAST_ASCII + 1).fill(NO_DIGIT);
for (let value = 0; value < 16; value++) {
  for (const digit of [value.toString(16), value.toString(16).toUpperCase()])
    DIGITS[digit.charCodeAt(0)] = value;
}
const MOST_BYTES_OF_A_CHARACTER = 3;
const YEAR_2000_MS = Date.UTC(2000);

/** The value of a hexadecimal digit; negative for anything else. */
function digit(text: string, at: number): number {
  return DIGITS[text.charCodeAt(at)] ?? NO_DIGIT;
}

function isDashPlace(at: number): boolean {
  return at === 8 || at === 13 || at === 18 || at === 23;
}

function notUuid(value: string): Error {
  return new Error(`not a UUID: ${value}`);
}
