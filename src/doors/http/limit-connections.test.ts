import { createConnection, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { type HttpServer, startHttpServer } from './start-http-server.js';

const HOST = '127.0.0.1';
const servers: HttpServer[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => server.stop({ deadlineMs: 0 })));
});

const start = async (limits: object) => {
  const app = { fetch: async () => new Response('answered') };
  const server = await startHttpServer({ app, host: HOST, port: 0, ...limits });
  servers.push(server);
  return server.port;
};

/** A connection that is open and asks for nothing yet. */
async function connect(port: number, from = HOST): Promise<Socket> {
  const socket = createConnection({ port, host: HOST, localAddress: from }).on('error', () => {});
  sockets.push(socket);
  await new Promise((resolve) => socket.once('connect', resolve));
  return socket;
}

async function ask(socket: Socket, path = '/', body = ''): Promise<string> {
  const told = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
      if (text.includes('}') || text.includes('answered')) resolve(text);
    });
    socket.once('close', () => resolve(text || 'closed'));
  });
  socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${body.length}\r\n\r\n${body}`);
  return told;
}

test('one connection more than there may be → answered 503 with the limit and when to come back, the others live', async () => {
  const port = await start({ maxConnections: 3 });
  const within = [await connect(port), await connect(port), await connect(port)];
  const refused = await ask(await connect(port));
  expect(refused).toMatch(/^HTTP\/1\.1 503 /);
  expect(refused).toMatch(/retry-after: 1/i);
  expect(refused).toMatch(/connection: close/i);
  expect(refused).toContain('"code":"TOO_MANY_CONNECTIONS"');
  expect(refused).toContain('3 connections are open, which is the limit of this process.');
  for (const socket of within) expect(await ask(socket)).toContain('answered');
});

test('a connection that ends → its place is free', async () => {
  const port = await start({ maxConnections: 1 });
  const first = await connect(port);
  expect(await ask(await connect(port))).toContain('TOO_MANY_CONNECTIONS');
  first.destroy();
  await expect.poll(async () => ask(await connect(port))).toContain('answered');
});

test('one address with its share of the connections → another address comes through', async () => {
  const port = await start({ maxConnections: 10, maxConnectionsPerAddress: 2 });
  for (let n = 0; n < 2; n++) await connect(port);
  expect(await ask(await connect(port))).toContain('2 connections of one address are open');
  expect(await ask(await connect(port, '127.0.0.2'))).toContain('answered');
});

test('behind a trusted proxy → its address has as many as there may be', async () => {
  const port = await start({ maxConnections: 10, maxConnectionsPerAddress: 2, trustedProxies: 1 });
  for (let n = 0; n < 5; n++) await connect(port);
  expect(await ask(await connect(port))).toContain('answered');
});

test('a refused client that is still sending its body → reads the answer', async () => {
  const port = await start({ maxConnections: 1 });
  await connect(port);
  expect(await ask(await connect(port), '/', 'x'.repeat(500_000))).toContain('TOO_MANY_CONNECTIONS');
});

test('a client of Resend with one connection too many → reads an answer it understands', async () => {
  const port = await start({ maxConnections: 1 });
  await connect(port);
  expect(await ask(await connect(port), '/resend/emails')).toContain('"name":"service_unavailable"');
});

test('far more connections than there may be → those beyond a few refusals are dropped', async () => {
  const port = await start({ maxConnections: 1 });
  const many = await Promise.all(Array.from({ length: 40 }, () => connect(port)));
  const dropped = () => many.filter((socket) => socket.closed).length;
  await expect.poll(dropped).toBeGreaterThanOrEqual(23);
});
