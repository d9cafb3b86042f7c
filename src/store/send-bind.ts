import type { Writable } from 'node:stream';

/**
 * Writes a statement's values to the server. The driver's own way joins all of them in a buffer that it enlarges by
 * copying, and once more for every long one: for a batch of emails three times their size, which only full collections
 * free again. Here short values are joined once, and long ones leave as they are. The caller has corked the stream.
 */
export function sendBind(stream: Writable, config: BindConfig): void {
  const values = (config.values ?? []).map((value, at) => config.valueMapper(value, at));
  const portal = config.portal || '';
  const statement = config.statement || '';
  let joined = 1 + 4 + Buffer.byteLength(portal) + 1 + Buffer.byteLength(statement) + 1 + 2 + 2 + 4;
  let total = joined - 1;
  const sizes = values.map((value) => {
    const size =
      value == null ? NULL_SIZE : typeof value === 'string' ? Buffer.byteLength(value) : value.length;
    const bytes = Math.max(size, 0);
    joined += 2 + 4 + (isLong(value) ? 0 : bytes);
    total += 2 + 4 + bytes;
    return size;
  });
  const out = Buffer.allocUnsafe(joined);
  out[0] = BIND;
  let at = out.writeInt32BE(total, 1);
  at = writeEnded(out, portal, at);
  at = writeEnded(out, statement, at);
  at = out.writeInt16BE(values.length, at);
  for (const value of values) at = out.writeInt16BE(value instanceof Buffer ? BINARY : TEXT, at);
  at = out.writeInt16BE(values.length, at);
  let sent = 0;
  for (let index = 0; index < values.length; index++) {
    const value = values[index];
    at = out.writeInt32BE(sizes[index]!, at);
    if (isLong(value)) {
      stream.write(out.subarray(sent, at));
      stream.write(value);
      sent = at;
    } else if (typeof value === 'string') at += out.write(value, at);
    else if (value != null) at += (value as Buffer).copy(out, at);
  }
  at = out.writeInt16BE(1, at);
  out.writeInt16BE(config.binary ? BINARY : TEXT, at);
  stream.write(out.subarray(sent));
}

export interface BindConfig {
  portal?: string;
  statement?: string;
  values?: readonly unknown[];
  /** Whether the answer is to be binary. */
  binary?: boolean;
  /** The driver's: what a value is to the server. */
  valueMapper(value: unknown, index: number): string | Buffer | null | undefined;
}

const BIND = 0x42;
const TEXT = 0;
const BINARY = 1;
const NULL_SIZE = -1;
/** Shorter ones cost less to copy than a piece of a write. */
const LONG_BYTES = 4096;

function isLong(value: string | Buffer | null | undefined): value is Buffer {
  return value instanceof Buffer && value.length >= LONG_BYTES;
}

function writeEnded(out: Buffer, text: string, at: number): number {
  const end = at + out.write(text, at);
  out[end] = 0;
  return end + 1;
}
