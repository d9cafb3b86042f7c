import { isUtf8 } from 'node:buffer';
import { type HeaderValue, MessageHeaders } from './message-headers.js';

/**
 * The properties of an AMQP message as the bytes that came, so that a message can be published again unchanged. Each
 * is decoded when asked for. Changing one makes a copy.
 */
export type PropertyName = (typeof LAYOUT)[number][0];

type TextName = Extract<(typeof LAYOUT)[number], readonly [string, number, 'text']>[0];

export interface PropertyValues extends Partial<Record<TextName, string | undefined>> {
  headers?: Readonly<Record<string, HeaderValue | undefined>>;
  /** Whole seconds since 1970. */
  timestamp?: number;
}

/** In the order and with the flags of the protocol. */
const LAYOUT = [
  ['contentType', 0x8000, 'text'],
  ['contentEncoding', 0x4000, 'text'],
  ['headers', 0x2000, 'table'],
  ['deliveryMode', 0x1000, 'byte'],
  ['priority', 0x0800, 'byte'],
  ['correlationId', 0x0400, 'text'],
  ['replyTo', 0x0200, 'text'],
  ['expiration', 0x0100, 'text'],
  ['messageId', 0x0080, 'text'],
  ['timestamp', 0x0040, 'long'],
  ['type', 0x0020, 'text'],
  ['userId', 0x0010, 'text'],
  ['appId', 0x0008, 'text'],
  ['clusterId', 0x0004, 'text'],
] as const;

export class MessageProperties {
  private constructor(private readonly encoded: ReadonlyMap<PropertyName, Buffer>) {}

  static readonly none = new MessageProperties(new Map());

  static of({ headers, timestamp, ...texts }: PropertyValues): MessageProperties {
    let properties = MessageProperties.none;
    for (const [name, text] of Object.entries(texts))
      if (text !== undefined) properties = properties.withText(name as TextName, text);
    if (timestamp !== undefined) {
      const bytes = Buffer.alloc(8);
      bytes.writeBigUInt64BE(BigInt(timestamp));
      properties = properties.with('timestamp', bytes);
    }
    return headers ? properties.withHeaders(MessageHeaders.of(headers)) : properties;
  }

  /** From a content header: two bytes of flags, then what they announce. */
  static read(bytes: Buffer): MessageProperties {
    const flags = bytes.readUInt16BE(0);
    const encoded = new Map<PropertyName, Buffer>();
    let at = 2;
    for (const [name, flag, kind] of LAYOUT) {
      if ((flags & flag) === 0) continue;
      const end = at + sizeAt(bytes, at, kind);
      if (end > bytes.length) throw new RangeError(`the property ${name} ends beyond its frame`);
      encoded.set(name, bytes.subarray(at, end));
      at = end;
    }
    return new MessageProperties(encoded);
  }

  write(): Buffer {
    const flags = Buffer.alloc(2);
    const parts: Buffer[] = [flags];
    for (const [name, flag] of LAYOUT) {
      const part = this.encoded.get(name);
      if (part === undefined) continue;
      flags.writeUInt16BE(flags.readUInt16BE(0) | flag);
      parts.push(part);
    }
    return Buffer.concat(parts);
  }

  /** Bytes that are not UTF-8 are read as Latin-1, so that two texts that differ stay different. Null where absent or empty. */
  text(name: TextName): string | null {
    const bytes = this.encoded.get(name)?.subarray(1);
    if (bytes === undefined || bytes.length === 0) return null;
    return bytes.toString(isUtf8(bytes) ? 'utf8' : 'latin1');
  }

  /** In seconds, as the publisher says. */
  timestamp(): number | null {
    const bytes = this.encoded.get('timestamp');
    return bytes === undefined ? null : Number(bytes.readBigUInt64BE(0));
  }

  headers(): MessageHeaders {
    const bytes = this.encoded.get('headers');
    return bytes === undefined ? MessageHeaders.none : MessageHeaders.read(bytes.subarray(4));
  }

  withText(name: TextName, text: string): MessageProperties {
    const bytes = Buffer.from(text);
    if (bytes.length > 255) throw new RangeError(`the property ${name} is longer than 255 bytes`);
    return this.with(name, Buffer.concat([Buffer.from([bytes.length]), bytes]));
  }

  withHeaders(headers: MessageHeaders): MessageProperties {
    const table = headers.write();
    const length = Buffer.alloc(4);
    length.writeUInt32BE(table.length);
    return this.with('headers', Buffer.concat([length, table]));
  }

  /** The broker keeps it on disk. */
  persistent(): MessageProperties {
    return this.with('deliveryMode', Buffer.from([2]));
  }

  without(...names: PropertyName[]): MessageProperties {
    return new MessageProperties(new Map([...this.encoded].filter(([name]) => !names.includes(name))));
  }

  private with(name: PropertyName, bytes: Buffer): MessageProperties {
    return new MessageProperties(new Map(this.encoded).set(name, bytes));
  }
}

function sizeAt(bytes: Buffer, at: number, kind: (typeof LAYOUT)[number][2]): number {
  switch (kind) {
    case 'text':
      return 1 + bytes.readUInt8(at);
    case 'table':
      return 4 + bytes.readUInt32BE(at);
    case 'byte':
      return 1;
    case 'long':
      return 8;
  }
}
