import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type AddressInfo, createConnection, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { isPostriderError } from '../../kernel/index.js';
import { type BodySource, readBytes, streamBody } from './read-body.js';

const open: Array<Server | Socket> = [];
afterEach(() => {
  for (const one of open.splice(0)) {
    if ('closeAllConnections' in one) one.close().closeAllConnections();
    else one.destroy();
  }
});

/** A server that answers with what reading the body came to. */
async function server(read: (source: BodySource) => Promise<string>, options: Partial<BodySource> = {}) {
  const answering = createServer((incoming: IncomingMessage, outgoing) => {
    const headers = new Headers(incoming.headers as Record<string, string>);
    const source = { request: { headers } as Request, incoming, limitBytes: 1_000_000, ...options };
    read(source)
      .catch((error: unknown) => (isPostriderError(error) ? error.code : String(error)))
      .then((said) => outgoing.end(said));
  });
  open.push(answering);
  await new Promise<void>((resolve) => answering.listen(0, '127.0.0.1', resolve));
  return (answering.address() as AddressInfo).port;
}

function connect(port: number, head: string): { socket: Socket; answer: Promise<string> } {
  const socket = createConnection(port, '127.0.0.1').on('error', () => {});
  open.push(socket);
  socket.write(`POST / HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`);
  const answer = new Promise<string>((resolve) =>
    socket.once('data', (data) => resolve(String(data).split('\r\n\r\n')[1] ?? '')),
  );
  return { socket, answer };
}

const size = async (source: BodySource) => `${(await readBytes(source)).length} bytes`;
const streamed = async (source: BodySource) => {
  let bytes = 0;
  for await (const piece of streamBody(source)) bytes += piece.byteLength;
  return `${bytes} bytes`;
};
const pace = { graceMs: 50, leastBytesPerSecond: 1_000_000 };

test.each([
  ['read whole', size],
  ['read as a stream', streamed],
])('a body that drips, %s → BODY_TOO_SLOW, and its place is free', async (_case, read) => {
  const port = await server(read, { pace });
  const { socket, answer } = connect(port, 'Content-Length: 100000');
  const dripping = setInterval(() => socket.write('x'), 5);
  expect(await answer).toBe('BODY_TOO_SLOW');
  clearInterval(dripping);
});

test.each([
  ['read whole', size],
  ['read as a stream', streamed],
])('a body in a few pieces, %s → all of it', async (_case, read) => {
  const port = await server(read);
  const { socket, answer } = connect(port, 'Transfer-Encoding: chunked');
  for (let sent = 0; sent < 10; sent++) socket.write(`${(5000).toString(16)}\r\n${'x'.repeat(5000)}\r\n`);
  socket.write('0\r\n\r\n');
  expect(await answer).toBe('50000 bytes');
});

test('a body that is slow to be used → not taken for a slow sender', async () => {
  const slowly = async (source: BodySource) => {
    let bytes = 0;
    for await (const piece of streamBody(source)) {
      bytes += piece.byteLength;
      await new Promise((resolve) => setTimeout(resolve, 2 * pace.graceMs));
    }
    return `${bytes} bytes`;
  };
  const port = await server(slowly, { pace });
  const { socket, answer } = connect(port, 'Content-Length: 200000');
  socket.write('x'.repeat(200_000));
  expect(await answer).toBe('200000 bytes');
});

test('a sender that leaves in the middle → the reading ends', async () => {
  const outcome = new Promise<string>((resolve) => {
    const read = async (source: BodySource) => {
      const said = await size(source).catch((error: unknown) => String(error));
      resolve(said);
      return said;
    };
    void server(read).then((port) => {
      const { socket } = connect(port, 'Content-Length: 1000');
      socket.end('half');
    });
  });
  expect(await outcome).toContain('ended before it was complete');
});
