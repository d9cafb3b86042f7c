import type { ServerResponse } from 'node:http';
import { createConnection, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './start-http-server.js';

const HOST = '127.0.0.1';
/** More than the buffers of the two sockets take. */
const LARGE = 64 * 1024 ** 2;
const servers: HttpServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop({ deadlineMs: 0 })));
});

const start = async (answer: (outgoing: ServerResponse) => Response, reading: object) => {
  const usual = {
    ...{ graceMs: 100, leastBytesPerSecond: 1024 ** 3, lookEveryMs: 10, mostWaitingBytes: 2 * LARGE },
    ...reading,
  };
  const app = { fetch: (_request: Request, env: { outgoing?: ServerResponse }) => answer(env.outgoing!) };
  const server = await startHttpServer({ app, host: HOST, port: 0, reading: usual });
  servers.push(server);
  return server.port;
};

function ask(port: number): Socket {
  const socket = createConnection(port, HOST).on('error', () => {});
  sockets.push(socket);
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');
  return socket;
}

const large = () => new Response(new Uint8Array(LARGE));

test('a client that does not read its answer → cut off', async () => {
  const cut = withResolvers();
  const answer = (outgoing: ServerResponse) => {
    outgoing.once('close', cut.resolve);
    return large();
  };
  const socket = ask(await start(answer, {})).pause();
  await cut.promise;
  let bytes = 0;
  socket.on('data', (data) => {
    bytes += data.length;
  });
  const over = new Promise((resolve) => socket.once('close', resolve));
  socket.resume();
  await over;
  expect(bytes).toBeLessThan(LARGE);
});

function withResolvers(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

test('a client that reads → gets everything', async () => {
  const port = await start(large, { graceMs: 60_000 });
  const body = await (await fetch(`http://${HOST}:${port}/`)).arrayBuffer();
  expect(body.byteLength).toBe(LARGE);
});

test('more than may wait for slow clients together → the first that waited is cut off, the last is not', async () => {
  const ended: number[] = [];
  let asked = 0;
  const answer = (outgoing: ServerResponse) => {
    const number = ++asked;
    outgoing.once('close', () => ended.push(number));
    return large();
  };
  const port = await start(answer, { graceMs: 60_000, mostWaitingBytes: 2.5 * LARGE });
  for (let n = 1; n <= 3; n++) {
    ask(port).pause();
    await expect.poll(() => asked).toBe(n);
    // So that a look comes between two of them.
    await delay(50);
  }
  await expect.poll(() => ended).toEqual([1]);
});

test('a stream in which nothing happens for long → is left alone', async () => {
  let write = (_text: string) => {};
  const quiet = () => {
    const stream = new ReadableStream<Uint8Array>({
      start(controller) {
        write = (text) => controller.enqueue(Buffer.from(text));
        write('first');
      },
    });
    return new Response(stream, { headers: { 'Content-Type': 'text/event-stream' } });
  };
  const socket = ask(await start(quiet, { graceMs: 20 }));
  let text = '';
  socket.on('data', (data) => {
    text += String(data);
  });
  await expect.poll(() => text).toContain('first');
  // Several looks of the server's, and more than its patience.
  for (let n = 0; n < 20; n++) await delay(10);
  write('second');
  await expect.poll(() => text).toContain('second');
});
