import { createServer } from 'node:net';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { keepContentHeadersRaw, openRawConnection } from './raw-connection.js';

const EXTRA = 15;

/** Reads frames as the client does: a head of seven bytes, then what it announces and one more. */
async function framesThrough(chunks: Buffer[], count: number): Promise<Buffer[]> {
  const socket = Readable.from(chunks, { objectMode: false }) as never as Parameters<
    typeof keepContentHeadersRaw
  >[0] &
    Readable;
  keepContentHeadersRaw(socket);
  const take = async (size: number): Promise<Buffer> => {
    for (;;) {
      const bytes = socket.read(size) as Buffer | null;
      if (bytes) return bytes;
      await new Promise((resolve) => socket.once('readable', resolve));
    }
  };
  const frames: Buffer[] = [];
  for (let frame = 0; frame < count; frame++) {
    const head = await take(7);
    frames.push(Buffer.concat([head, await take(head.readUInt32BE(3) + 1)]));
  }
  return frames;
}

function frame(type: number, payload: Buffer): Buffer {
  const head = Buffer.from([type, 0, 1, 0, 0, 0, 0]);
  head.writeUInt32BE(payload.length, 3);
  return Buffer.concat([head, payload, Buffer.from([0xce])]);
}

const PROPERTIES = Buffer.concat([Buffer.from([0x80, 0x80, 1]), Buffer.from('a'), Buffer.from([1, 0x62])]);
const BEFORE = Buffer.alloc(12, 7);
const METHOD = frame(1, Buffer.from('method'));
const HEADER = frame(2, Buffer.concat([BEFORE, PROPERTIES]));
const BODY = frame(3, Buffer.alloc(8, 2));

test.each([
  ['in one piece', (bytes: Buffer) => [bytes]],
  ['byte by byte', (bytes: Buffer) => [...bytes].map((byte) => Buffer.from([byte]))],
])(
  'frames that come %s → the content header holds its properties whole, the others are untouched',
  async (_, cut) => {
    const frames = await framesThrough(cut(Buffer.concat([METHOD, HEADER, BODY, HEADER, BODY])), 5);
    expect(frames[0]!.equals(METHOD)).toBe(true);
    expect(frames[2]!.equals(BODY)).toBe(true);
    for (const header of [frames[1]!, frames[3]!]) {
      expect(header.length).toBe(HEADER.length + EXTRA);
      expect(header.subarray(7, 19).equals(BEFORE)).toBe(true);
      expect(header.subarray(-1 - PROPERTIES.length, -1).equals(PROPERTIES)).toBe(true);
      expect(header.at(-1)).toBe(0xce);
    }
  },
);

test('a server that is no broker → refused by the client as before', async ({ onTestFinished }) => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.end(Buffer.from('AMQP\u0000\u0001\u0000\u0000', 'latin1'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const connection = await openRawConnection({ url: `amqp://127.0.0.1:${port}` });
  onTestFinished(() => {
    connection.unsafeDestroy();
    server.close();
  });
  const error = await new Promise<Error>((resolve) => connection.once('error', resolve));
  expect(error.message).toMatch(/version of AMQP is not supported/);
});
