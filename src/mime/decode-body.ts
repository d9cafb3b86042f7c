import type { Pace } from './pace.js';

/**
 * Bodies out of their transfer encoding, in slices. What is no character of the encoding is left out of base64 and
 * kept as it stands in quoted-printable, as mail programs do.
 */
export type TransferEncoding = 'base64' | 'quoted-printable' | 'none';

export function transferEncodingOf(value: string | undefined): TransferEncoding {
  // Some write a comment beside it, or quotes around it.
  const name = (value ?? '').slice(0, 200).toLowerCase();
  return name.includes('base64') ? 'base64' : name.includes('quoted-printable') ? 'quoted-printable' : 'none';
}

export async function decodeBody(body: Buffer, encoding: TransferEncoding, pace: Pace): Promise<Buffer> {
  if (encoding === 'none') return body;
  const decoder =
    encoding === 'base64'
      ? new Base64Decoder(body.length)
      : new QuotedPrintableDecoder(Buffer.allocUnsafe(body.length));
  await inSlices(body, pace, (slice) => decoder.update(slice));
  return decoder.end();
}

/**
 * A body as strict base64: no line breaks, the right padding, meaningless bits zero. What is encoded is decoded over
 * itself, so that a large file is in memory twice and not three times; the body is used up by it.
 */
export async function takeAsBase64(body: Buffer, encoding: TransferEncoding, pace: Pace): Promise<string> {
  if (encoding === 'none') return body.toString('base64');
  if (encoding === 'quoted-printable') {
    const decoder = new QuotedPrintableDecoder(body);
    await inSlices(body, pace, (slice) => decoder.update(slice));
    return decoder.end().toString('base64');
  }
  const compactor = new Base64Compactor(body);
  await inSlices(body, pace, (slice) => compactor.update(slice.length));
  const { characters, units } = compactor.end();
  if (units > 1) return (await decodeBody(characters, 'base64', pace)).toString('base64');
  const end = characters.length - (characters.length % 4);
  return characters.toString('latin1', 0, end) + tailOf(characters.toString('latin1', end));
}

async function inSlices(body: Buffer, pace: Pace, update: (slice: Buffer) => void): Promise<void> {
  for (let at = 0; at < body.length; at += SLICE) {
    const slice = body.subarray(at, at + SLICE);
    update(slice);
    if (pace.spend(slice.length * COST_OF_A_BYTE)) await pace.nextTurn();
  }
}

const SLICE = 128 * 1024;
/** Looked at one by one, beside those a search runs over. */
const COST_OF_A_BYTE = 2;

const NONE = 64;
const PADDING = 65;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const VALUES = new Uint8Array(256).fill(NONE);
for (let value = 0; value < 64; value += 1) VALUES[ALPHABET.charCodeAt(value)] = value;
VALUES['='.charCodeAt(0)] = PADDING;

/** Padding ends a unit, also in the middle: some programs encode every line by itself. */
class Base64Decoder {
  private readonly out: Buffer;
  private length = 0;
  private bits = 0;
  private characters = 0;

  constructor(encodedLength: number) {
    this.out = Buffer.allocUnsafe(Math.ceil(encodedLength / 4) * 3);
  }

  update(slice: Buffer): void {
    let { length, bits, characters } = this;
    for (let at = 0; at < slice.length; at += 1) {
      const value = VALUES[slice[at]!]!;
      if (value < NONE) {
        bits = (bits << 6) | value;
        characters += 1;
        if (characters === 4) {
          this.out[length] = bits >> 16;
          this.out[length + 1] = bits >> 8;
          this.out[length + 2] = bits;
          length += 3;
          bits = 0;
          characters = 0;
        }
      } else if (value === PADDING) {
        length += this.flush(length, bits, characters);
        bits = 0;
        characters = 0;
      }
    }
    this.length = length;
    this.bits = bits;
    this.characters = characters;
  }

  end(): Buffer {
    return this.out.subarray(0, this.length + this.flush(this.length, this.bits, this.characters));
  }

  /** One character alone is no byte. */
  private flush(at: number, bits: number, characters: number): number {
    if (characters < 2) return 0;
    const whole = bits << ((4 - characters) * 6);
    this.out[at] = whole >> 16;
    if (characters === 3) this.out[at + 1] = whole >> 8;
    return characters - 1;
  }
}

class QuotedPrintableDecoder {
  private length = 0;
  /** An `=` and what follows it, cut off by the end of a slice. */
  private held: Buffer | null = null;

  constructor(private readonly out: Buffer) {}

  update(slice: Buffer): void {
    const bytes = this.held === null ? slice : Buffer.concat([this.held, slice]);
    this.held = null;
    this.decode(bytes, bytes.length - LONGEST_ESCAPE);
  }

  end(): Buffer {
    if (this.held !== null) this.decode(this.held, this.held.length);
    return this.out.subarray(0, this.length);
  }

  /** Up to where an escape may still be cut off; the rest is held. */
  private decode(bytes: Buffer, until: number): void {
    let at = 0;
    while (at < bytes.length) {
      if (bytes[at] !== EQUALS) this.out[this.length++] = bytes[at++]!;
      else if (at >= until && until < bytes.length) {
        this.held = Buffer.from(bytes.subarray(at));
        return;
      } else at = this.escape(bytes, at);
    }
  }

  private escape(bytes: Buffer, at: number): number {
    const high = HEX[bytes[at + 1] ?? 0]!;
    const low = HEX[bytes[at + 2] ?? 0]!;
    if (high < 16 && low < 16) {
      this.out[this.length++] = (high << 4) | low;
      return at + 3;
    }
    const next = softBreakEnd(bytes, at + 1);
    if (next !== null) return next;
    this.out[this.length++] = EQUALS;
    return at + 1;
  }
}

/** `=` at the end of a line, with white space that was added on the way. */
function softBreakEnd(bytes: Buffer, from: number): number | null {
  let at = from;
  while (at - from < LONGEST_BLANK && (bytes[at] === SPACE || bytes[at] === TAB)) at += 1;
  if (at >= bytes.length) return at;
  if (bytes[at] === CR) at += 1;
  return bytes[at] === LF ? at + 1 : null;
}

const LONGEST_BLANK = 76;
const LONGEST_ESCAPE = LONGEST_BLANK + 3;
const EQUALS = 0x3d;
const SPACE = 0x20;
const TAB = 0x09;
const CR = 0x0d;
const LF = 0x0a;
const HEX = new Uint8Array(256).fill(16);
for (const [value, digits] of [...'0123456789ABCDEF'].entries()) {
  HEX[digits.charCodeAt(0)] = value;
  HEX[digits.toLowerCase().charCodeAt(0)] = value;
}

/** Moves the characters of base64 together, over the body they are in. */
class Base64Compactor {
  private read = 0;
  private written = 0;
  /** Of the unit that is open. */
  private unitStart = 0;
  private units = 0;

  constructor(private readonly body: Buffer) {}

  update(bytes: number): void {
    const { body } = this;
    const until = this.read + bytes;
    let { written } = this;
    for (let at = this.read; at < until; at += 1) {
      const byte = body[at]!;
      const value = VALUES[byte]!;
      if (value < NONE) body[written++] = byte;
      else if (value === PADDING && written > this.unitStart) {
        // Kept, once, as the mark between two units.
        body[written++] = EQUALS;
        this.unitStart = written;
        this.units += 1;
      }
    }
    this.read = until;
    this.written = written;
  }

  end(): { characters: Buffer; units: number } {
    const open = this.written > this.unitStart;
    const units = this.units + (open ? 1 : 0);
    // Of one unit alone the mark says nothing.
    const end = units > 1 || open ? this.written : Math.max(0, this.written - 1);
    return { characters: this.body.subarray(0, end), units };
  }
}

/** The last one to three characters, padded; one alone is no byte. */
function tailOf(characters: string): string {
  return characters.length < 2 ? '' : Buffer.from(characters, 'base64').toString('base64');
}
