import { createConnection, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import { createHttpApp } from './create-http-app.js';
import type { HttpRooms } from './http-rooms.js';
import { type HttpServer, startHttpServer } from './start-http-server.js';

const HOST = '127.0.0.1';
const running: HttpServer[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop({ deadlineMs: 0 })));
});

test('a request in flight when stop is called → finished, later ones refused', async () => {
  const gate = signal();
  const begun = signal();
  const server = await start(async () => {
    begun.ring();
    await gate.heard;
    return new Response('done');
  });
  const answer = fetch(`http://${HOST}:${server.port}/`);
  await begun.heard;
  const stopped = server.stop({ deadlineMs: 10_000 });
  expect(server.stop()).toBe(stopped);
  await expect(fetch(`http://${HOST}:${server.port}/`)).rejects.toThrow();
  gate.ring();
  expect(await (await answer).text()).toBe('done');
  await stopped;
});

test('a request that never ends → cut at the deadline', async () => {
  const begun = signal();
  const server = await start(() => {
    begun.ring();
    return new Promise<Response>(() => {});
  });
  const answer = fetch(`http://${HOST}:${server.port}/`);
  const cut = expect(answer).rejects.toThrow();
  await begun.heard;
  await server.stop({ deadlineMs: 20 });
  await cut;
});

test('an event stream that never ends → does not hold the stop', async () => {
  const server = await start(async () => eventStream());
  const answer = await fetch(`http://${HOST}:${server.port}/`);
  const reader = answer.body!.getReader();
  await reader.read();
  const began = performance.now();
  await server.stop({ deadlineMs: 60_000 });
  expect(performance.now() - began).toBeLessThan(30_000);
});

test('a client that leaves an event stream → the stream hears of it', async () => {
  const left = signal();
  const server = await start(async () => eventStream(left.ring));
  const abort = new AbortController();
  const answer = await fetch(`http://${HOST}:${server.port}/`, { signal: abort.signal });
  await answer.body?.getReader().read();
  abort.abort();
  await expect(left.heard).resolves.toBeUndefined();
});

test('a port that is taken → INVALID_CONFIG naming PORT', async () => {
  const server = await start(async () => new Response());
  const second = startHttpServer({
    app: { fetch: async () => new Response() },
    host: HOST,
    port: server.port,
  });
  await expect(second).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'PORT' });
  await expect(second).rejects.toThrow(/already in use; set PORT to a free one, or 0/);
});

test('a chunked body past the limit → 413 arrives while the sender is still sending', async () => {
  const server = await startApp();
  const socket = connect(server.port);
  socket.write(
    `POST /v1/email/send HTTP/1.1\r\nHost: localhost\r\n${JSON_HEADERS}Transfer-Encoding: chunked\r\n\r\n`,
  );
  const chunk = `8000\r\n${' '.repeat(0x8000)}\r\n`;
  for (let sent = 0; sent < 10; sent++) socket.write(chunk);
  expect(await firstLine(socket)).toBe('HTTP/1.1 413 Payload Too Large');
});

test('a Host that is no host → 400 as a problem, the process unharmed', async () => {
  const server = await startApp();
  const socket = connect(server.port);
  socket.write('GET /health/live HTTP/1.1\r\nHost: a b/c\r\n\r\n');
  expect(await firstLine(socket)).toBe('HTTP/1.1 400 Bad Request');
  expect((await fetch(`http://${HOST}:${server.port}/health/live`)).status).toBe(200);
});

const JSON_HEADERS = 'Content-Type: application/json\r\n';

function eventStream(cancel: () => void = () => {}): Response {
  const start = (controller: ReadableStreamDefaultController) => controller.enqueue(Buffer.from(':\n'));
  const headers = { 'Content-Type': 'text/event-stream' };
  return new Response(new ReadableStream({ start, cancel }), { headers });
}

async function start(fetch: () => Promise<Response>): Promise<HttpServer> {
  const server = await startHttpServer({ app: { fetch }, host: HOST, port: 0 });
  running.push(server);
  return server;
}

async function startApp(): Promise<HttpServer> {
  const rooms = {} as HttpRooms;
  const app = createHttpApp({
    rooms,
    logger: silentLogger,
    clock: new ManualClock(),
    bodyLimitBytes: 100_000,
  });
  const server = await startHttpServer({ app, host: HOST, port: 0 });
  running.push(server);
  return server;
}

function connect(port: number): Socket {
  // The server may cut a sender it has refused; what it answered before is what counts.
  return createConnection(port, HOST).on('error', () => {});
}

function firstLine(socket: Socket): Promise<string> {
  return new Promise((resolve) =>
    socket.once('data', (data) => resolve(String(data).split('\r\n')[0] ?? '')),
  );
}

function signal() {
  let ring = () => {};
  const heard = new Promise<void>((resolve) => {
    ring = resolve;
  });
  return { heard, ring: () => ring() };
}
