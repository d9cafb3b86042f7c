import { createConnection } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './start-http-server.js';

const HOST = '127.0.0.1';
const running: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop({ deadlineMs: 0 })));
});

interface Seen {
  atOnce: number;
  most: number;
  begun: string[];
}

/** Answers with the path; each answer takes a turn, in which another could begin. */
async function start(answer = ''): Promise<{ port: number; seen: Seen }> {
  const seen: Seen = { atOnce: 0, most: 0, begun: [] };
  const app = {
    async fetch(request: Request) {
      seen.begun.push(new URL(request.url).pathname);
      seen.atOnce += 1;
      seen.most = Math.max(seen.most, seen.atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      seen.atOnce -= 1;
      return new Response(`${new URL(request.url).pathname} ${await request.text()}.${answer}`);
    },
  };
  const server = await startHttpServer({ app, host: HOST, port: 0 });
  running.push(server);
  return { port: server.port, seen };
}

/** Sends all of it and reads until the server ends the connection. */
function send(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = createConnection({ port, host: HOST }, () => socket.write(text));
    socket.on('data', (data) => {
      received += data;
    });
    socket.on('error', () => undefined); // cut off
    socket.on('close', () => resolve(received));
  });
}

const get = (path: string, headers = '') => `GET ${path} HTTP/1.1\r\nHost: a\r\n${headers}\r\n`;
const LAST = 'Connection: close\r\n';

test('fifty requests sent without waiting → one is served at a time, and all are answered in their order', async () => {
  const { port, seen } = await start();
  const paths = Array.from({ length: 50 }, (_, index) => `/${index}`);
  const answer = await send(port, paths.map((path, index) => get(path, index === 49 ? LAST : '')).join(''));
  expect(seen.most).toBe(1);
  expect([...answer.matchAll(/(\/\d+) \./g)].map(([, path]) => path)).toEqual(paths);
});

test('requests with bodies sent without waiting → each gets its own body', async () => {
  const { port } = await start();
  const post = (body: string, headers = '') =>
    `POST /p HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n${headers}\r\n${body}`;
  const answer = await send(port, post('one') + post('x'.repeat(100_000)) + post('three', LAST));
  expect([...answer.matchAll(/\/p (\w+)\./g)].map(([, body]) => body!.length)).toEqual([3, 100_000, 5]);
});

test('answers that nobody reads → the requests sent behind them are not served', async () => {
  const { port, seen } = await start('x'.repeat(16 * 1024 ** 2));
  const socket = createConnection({ port, host: HOST });
  socket.pause();
  socket.write(get('/') + get('/behind') + get('/behind'));
  await expect.poll(() => seen.begun).toEqual(['/']);
  const other = await send(port, get('/other', LAST));
  expect(other.length).toBeGreaterThan(16 * 1024 ** 2);
  expect(seen.begun).toEqual(['/', '/other']);
  socket.destroy();
});

test('thousands of requests sent without waiting → the connection is cut off', async () => {
  const { port, seen } = await start();
  await send(port, get('/').repeat(5000));
  expect(seen.begun.length).toBeLessThan(500);
  expect(await send(port, get('/after', LAST))).toContain('/after .');
});
