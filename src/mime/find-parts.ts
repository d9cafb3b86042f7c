import { type HeaderField, readHeaderFields } from './header-fields.js';
import {
  MAX_DEPTH,
  MAX_HEADER_BYTES,
  MAX_HEADER_FIELDS,
  MAX_PARTS,
  tooLarge,
  unreadable,
} from './mail-limits.js';
import type { Pace } from './pace.js';
import { readStructuredValue, type StructuredValue } from './structured-value.js';

/**
 * Where the parts of a message are: one pass over its bytes that makes nothing of them but what the headers say. The
 * number of parts, their depth and their headers are limited as they are met, so that a message of a million empty parts
 * is refused at the hundredth. A message inside a message is one part.
 */
export async function findParts(raw: Buffer, pace: Pace): Promise<FoundPart[]> {
  const finder = new PartFinder(raw, pace);
  return finder.find();
}

export interface FoundPart {
  fields: HeaderField[];
  contentType: StructuredValue;
  /** Encoded as it came, without the line break that belongs to the delimiter after it. */
  body: Buffer;
  isMultipart: boolean;
  /** The place of the closest multipart/alternative around it, in the list of parts. */
  alternative: number | null;
  /** Inside a multipart/related, where a Content-ID makes it part of the HTML. */
  related: boolean;
}

interface OpenMultipart {
  boundary: Buffer;
  type: string;
  alternative: number | null;
  related: boolean;
}

interface Delimiter {
  /** Of the multiparts that are open. */
  depth: number;
  closes: boolean;
  lineStart: number;
  next: number;
}

class PartFinder {
  private readonly parts: FoundPart[] = [];
  private readonly open: OpenMultipart[] = [];
  private at = 0;
  private headerBytes = 0;
  private headerFields = 0;

  constructor(
    private readonly raw: Buffer,
    private readonly pace: Pace,
  ) {}

  async find(): Promise<FoundPart[]> {
    for (;;) {
      const part = this.readHead();
      const start = this.at;
      let delimiter = await this.nextDelimiter();
      part.body = this.raw.subarray(start, this.endOfBody(start, delimiter));
      while (delimiter?.closes) {
        this.open.length = delimiter.depth;
        this.at = delimiter.next;
        delimiter = await this.nextDelimiter();
      }
      if (delimiter === null) return this.parts;
      this.open.length = delimiter.depth + 1;
      this.at = delimiter.next;
    }
  }

  private readHead(): FoundPart {
    if (this.parts.length >= MAX_PARTS) throw tooLarge(`has more than ${MAX_PARTS} parts`);
    const fields = readHeaderFields(this.raw.subarray(this.at, this.endOfHead()));
    this.headerFields += fields.length;
    if (this.headerFields > MAX_HEADER_FIELDS)
      throw tooLarge(`has more than ${MAX_HEADER_FIELDS} header fields`);
    const parent = this.open.at(-1);
    const contentType = contentTypeOf(fields, parent?.type);
    const isMultipart = contentType.value.startsWith('multipart/');
    const part: FoundPart = {
      fields,
      contentType,
      body: EMPTY,
      isMultipart,
      alternative: parent?.alternative ?? null,
      related: parent?.related ?? false,
    };
    this.parts.push(part);
    if (isMultipart) this.enter(part);
    return part;
  }

  private enter(part: FoundPart): void {
    const boundary = Buffer.from(part.contentType.params.get('boundary') ?? '');
    if (boundary.length > MAX_BOUNDARY_BYTES)
      throw unreadable(`has a boundary of more than ${MAX_BOUNDARY_BYTES} bytes`);
    if (boundary.length === 0) return;
    if (this.open.length >= MAX_DEPTH) throw unreadable(`is nested more than ${MAX_DEPTH} deep`);
    const type = part.contentType.value;
    this.open.push({
      boundary,
      type,
      alternative: type === 'multipart/alternative' ? this.parts.length - 1 : part.alternative,
      related: part.related || type === 'multipart/related',
    });
  }

  /** The empty line after the header, or the delimiter that comes too early; `at` moves on to the body. */
  private endOfHead(): number {
    for (;;) {
      const start = this.at;
      if (start >= this.raw.length) return start;
      if (this.delimiterAt(start)) return start;
      const left = MAX_HEADER_BYTES - this.headerBytes;
      const ending = this.raw.subarray(start, start + left + 1).indexOf(LF);
      if (ending === -1 && this.raw.length - start > left)
        throw tooLarge(`has more than ${MAX_HEADER_BYTES / 1024} KB of headers`);
      const next = ending === -1 ? this.raw.length : start + ending + 1;
      this.headerBytes += next - start;
      this.at = next;
      if (ending === 0 || (ending === 1 && this.raw[start] === CR)) return start;
    }
  }

  private endOfBody(start: number, delimiter: Delimiter | null): number {
    let end = delimiter?.lineStart ?? this.raw.length;
    if (end > start && this.raw[end - 1] === LF) end -= 1;
    if (end > start && this.raw[end - 1] === CR) end -= 1;
    return end;
  }

  private async nextDelimiter(): Promise<Delimiter | null> {
    if (this.open.length === 0) return null;
    // A line begins after a line break; the first may begin here.
    const early = this.delimiterAt(this.at);
    if (early) return early;
    for (let from = this.at; from < this.raw.length; from += WINDOW) {
      const found = this.delimiterWithin(from, from + WINDOW);
      if (found) return found;
      if (this.pace.spend(WINDOW)) await this.pace.nextTurn();
    }
    return null;
  }

  private delimiterWithin(from: number, to: number): Delimiter | null {
    const window = this.raw.subarray(from, to + LINE_START.length - 1);
    for (let hit = window.indexOf(LINE_START); hit !== -1; hit = window.indexOf(LINE_START, hit + 1)) {
      this.pace.spend(COST_OF_A_LINE);
      const found = this.delimiterAt(from + hit + 1);
      if (found) return found;
    }
    return null;
  }

  /** The innermost multipart that the line begins or ends a part of. */
  private delimiterAt(lineStart: number): Delimiter | null {
    if (this.raw[lineStart] !== DASH || this.raw[lineStart + 1] !== DASH) return null;
    for (let depth = this.open.length - 1; depth >= 0; depth -= 1) {
      const { boundary } = this.open[depth]!;
      if (!this.isAt(boundary, lineStart + 2)) continue;
      const end = lineStart + 2 + boundary.length;
      const closes = this.raw[end] === DASH && this.raw[end + 1] === DASH;
      const next = this.restOfLine(closes ? end + 2 : end);
      if (next !== null) return { depth, closes, lineStart, next };
    }
    return null;
  }

  private isAt(bytes: Buffer, at: number): boolean {
    let same = 0;
    while (same < bytes.length && this.raw[at + same] === bytes[same]) same += 1;
    this.pace.spend(same);
    return same === bytes.length;
  }

  /** After a delimiter only white space may follow; the start of the next line, or null. */
  private restOfLine(from: number): number | null {
    for (let at = from; at < this.raw.length; at += 1) {
      const byte = this.raw[at]!;
      if (byte === LF) return at + 1;
      if (byte !== SPACE && byte !== TAB && byte !== CR) return null;
      if (at - from > MAX_BOUNDARY_BYTES) return null;
    }
    return this.raw.length;
  }
}

/** Where it is missing or no type, what the standard says instead. */
function contentTypeOf(fields: readonly HeaderField[], parentType: string | undefined): StructuredValue {
  const given = fields.find(({ key }) => key === 'content-type');
  const read = given && readStructuredValue(given.value);
  if (read && TYPE.test(read.value)) return read;
  const value = parentType === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
  return { value, params: read?.params ?? new Map() };
}

const TYPE = /^[^\s/;]+\/[^\s/;]+$/;
const EMPTY = Buffer.alloc(0);
const CR = 0x0d;
const LF = 0x0a;
const DASH = 0x2d;
const SPACE = 0x20;
const TAB = 0x09;
const LINE_START = Buffer.from('\n--');
/** The standard allows 70; some programs write more. */
const MAX_BOUNDARY_BYTES = 250;
const WINDOW = 64 * 1024;
/** A line that may be a delimiter, beside its bytes. */
const COST_OF_A_LINE = 40;
