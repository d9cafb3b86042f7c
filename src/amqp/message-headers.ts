/**
 * The headers of an AMQP message, split at their first level and otherwise left as the bytes that came: types and
 * nested tables survive a move, and nothing is followed to a depth that its publisher chose. Names may repeat; the
 * first counts, as for the broker.
 */
export type HeaderValue =
  | string
  | number
  | bigint
  | boolean
  | null
  | Buffer
  | HeaderValue[]
  | { [name: string]: HeaderValue };

interface Entry {
  name: string;
  /** Name, type and value, as they stand in the table. */
  bytes: Buffer;
  /** Where the type stands in them. */
  typeAt: number;
}

export class MessageHeaders {
  private constructor(private readonly entries: readonly Entry[]) {}

  static readonly none = new MessageHeaders([]);

  static read(table: Buffer): MessageHeaders {
    return new MessageHeaders([...entriesOf(table)]);
  }

  static of(values: Readonly<Record<string, HeaderValue | undefined>>): MessageHeaders {
    return MessageHeaders.none.set(values);
  }

  write(): Buffer {
    return Buffer.concat(this.entries.map(({ bytes }) => bytes));
  }

  get(name: string): HeaderValue | undefined {
    const entry = this.entries.find((one) => one.name === name);
    return entry && decoded(entry.bytes, entry.typeAt, MAX_DEPTH);
  }

  text(name: string): string | null {
    const value = this.get(name);
    return typeof value === 'string' ? value : null;
  }

  number(name: string): number | null {
    const value = this.get(name);
    return typeof value === 'number' ? value : null;
  }

  /** Decoded as far as `MAX_DEPTH` levels; what lies deeper is left out. */
  values(): Record<string, HeaderValue> {
    const found = new Map<string, HeaderValue>();
    for (const { name, bytes, typeAt } of this.entries) {
      const value = decoded(bytes, typeAt, MAX_DEPTH);
      if (value !== undefined && !found.has(name)) found.set(name, value);
    }
    return Object.fromEntries(found);
  }

  /** In place of those of the same names. */
  set(values: Readonly<Record<string, HeaderValue | undefined>>): MessageHeaders {
    const added = Object.entries(values).flatMap(([name, value]) =>
      value === undefined ? [] : [encodedEntry(name, value)],
    );
    const kept = this.entries.filter(({ name }) => !Object.hasOwn(values, name));
    return new MessageHeaders([...kept, ...added]);
  }

  without(unwanted: (name: string) => boolean): MessageHeaders {
    return new MessageHeaders(this.entries.filter(({ name }) => !unwanted(name)));
  }

  rename(renamed: Readonly<Record<string, string>>): MessageHeaders {
    return new MessageHeaders(
      this.entries.map((entry) => {
        const name = Object.hasOwn(renamed, entry.name) ? renamed[entry.name] : undefined;
        return name === undefined ? entry : entryOf(name, entry.bytes.subarray(entry.typeAt));
      }),
    );
  }

  /** The largest go until the rest fits, the broker's history last; the ones to keep stay in any case. Says which went. */
  fitting(maxBytes: number, keep: (name: string) => boolean): { headers: MessageHeaders; dropped: string[] } {
    let size = this.entries.reduce((sum, { bytes }) => sum + bytes.length, 0);
    if (size <= maxBytes) return { headers: this, dropped: [] };
    const dropped = new Set<Entry>();
    for (const entry of this.entries.filter(({ name }) => !keep(name)).sort(historyLast)) {
      if (size <= maxBytes) break;
      size -= entry.bytes.length;
      dropped.add(entry);
    }
    return {
      headers: new MessageHeaders(this.entries.filter((entry) => !dropped.has(entry))),
      dropped: [...dropped].map(({ name }) => name),
    };
  }
}

/** `x-death` is a list of tables of lists. */
const MAX_DEPTH = 8;

function historyLast(a: Entry, b: Entry): number {
  const isHistory = ({ name }: Entry) => (name === 'x-death' ? 1 : 0);
  return isHistory(a) - isHistory(b) || b.bytes.length - a.bytes.length;
}

function* entriesOf(table: Buffer): Generator<Entry> {
  for (let at = 0; at < table.length; ) {
    const typeAt = 1 + table.readUInt8(at);
    const end = valueEnd(table, at + typeAt);
    yield {
      name: table.toString('utf8', at + 1, at + typeAt),
      bytes: table.subarray(at, end),
      typeAt,
    };
    at = end;
  }
}

/** Sizes of values by their type; null for those that say it themselves in four bytes. */
const SIZES: Readonly<Record<string, number | null>> = {
  ...{ V: 0, t: 1, b: 1, B: 1, s: 2, u: 2, I: 4, i: 4, f: 4, D: 5, l: 8, T: 8, d: 8 },
  ...{ S: null, x: null, A: null, F: null },
};

function valueEnd(bytes: Buffer, typeAt: number): number {
  const type = String.fromCharCode(bytes.readUInt8(typeAt));
  const size = SIZES[type];
  if (size === undefined) throw new RangeError(`a header has the unknown type ${JSON.stringify(type)}`);
  const end = typeAt + 1 + (size ?? 4 + bytes.readUInt32BE(typeAt + 1));
  if (end > bytes.length) throw new RangeError('a header ends beyond its table');
  return end;
}

/** Undefined for what is nested too deep. */
function decoded(bytes: Buffer, typeAt: number, depth: number): HeaderValue | undefined {
  const at = typeAt + 1;
  switch (String.fromCharCode(bytes.readUInt8(typeAt))) {
    case 't':
      return bytes.readUInt8(at) !== 0;
    case 'b':
      return bytes.readInt8(at);
    case 'B':
      return bytes.readUInt8(at);
    case 's':
      return bytes.readInt16BE(at);
    case 'u':
      return bytes.readUInt16BE(at);
    case 'I':
      return bytes.readInt32BE(at);
    case 'i':
      return bytes.readUInt32BE(at);
    case 'f':
      return bytes.readFloatBE(at);
    case 'd':
      return bytes.readDoubleBE(at);
    case 'D':
      return bytes.readInt32BE(at + 1) / 10 ** bytes.readUInt8(at);
    case 'l':
      return safeNumber(bytes.readBigInt64BE(at));
    case 'T':
      return safeNumber(bytes.readBigUInt64BE(at));
    case 'S':
      return bytes.toString('utf8', at + 4, at + 4 + bytes.readUInt32BE(at));
    case 'x':
      return bytes.subarray(at + 4, at + 4 + bytes.readUInt32BE(at));
    case 'A':
      return depth === 0
        ? undefined
        : decodedList(bytes.subarray(at + 4, valueEnd(bytes, typeAt)), depth - 1);
    case 'F':
      return depth === 0
        ? undefined
        : decodedTable(bytes.subarray(at + 4, valueEnd(bytes, typeAt)), depth - 1);
    default:
      return null;
  }
}

function decodedList(list: Buffer, depth: number): HeaderValue[] {
  const items: HeaderValue[] = [];
  for (let at = 0; at < list.length; at = valueEnd(list, at)) {
    const item = decoded(list, at, depth);
    if (item !== undefined) items.push(item);
  }
  return items;
}

function decodedTable(table: Buffer, depth: number): { [name: string]: HeaderValue } {
  const found: Array<[string, HeaderValue]> = [];
  for (const { name, bytes, typeAt } of entriesOf(table)) {
    const value = decoded(bytes, typeAt, depth);
    if (value !== undefined) found.push([name, value]);
  }
  return Object.fromEntries(found);
}

function safeNumber(value: bigint): number | bigint {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : value;
}

function encodedEntry(name: string, value: HeaderValue): Entry {
  return entryOf(name, encoded(value));
}

function entryOf(name: string, value: Buffer): Entry {
  const bytes = Buffer.from(name);
  if (bytes.length > 255)
    throw new RangeError(`the header ${name.slice(0, 40)}… has a name of more than 255 bytes`);
  return {
    name,
    bytes: Buffer.concat([Buffer.from([bytes.length]), bytes, value]),
    typeAt: 1 + bytes.length,
  };
}

function encoded(value: HeaderValue): Buffer {
  if (value === null) return Buffer.from('V');
  if (typeof value === 'boolean') return Buffer.from([0x74, value ? 1 : 0]);
  if (typeof value === 'string') return sized('S', Buffer.from(value));
  if (Buffer.isBuffer(value)) return sized('x', value);
  if (typeof value === 'bigint' || Number.isSafeInteger(value)) {
    // The broker counts on in the numbers of `x-death` where they have eight bytes, and only there.
    const bytes = Buffer.alloc(9, 'l');
    bytes.writeBigInt64BE(BigInt(value as number | bigint), 1);
    return bytes;
  }
  if (typeof value === 'number') {
    const bytes = Buffer.alloc(9, 'd');
    bytes.writeDoubleBE(value, 1);
    return bytes;
  }
  if (Array.isArray(value)) return sized('A', Buffer.concat(value.map(encoded)));
  const entries = Object.entries(value).map(([name, inner]) => encodedEntry(name, inner).bytes);
  return sized('F', Buffer.concat(entries));
}

function sized(type: string, bytes: Buffer): Buffer {
  const head = Buffer.alloc(5, type);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}
