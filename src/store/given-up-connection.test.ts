import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { CopyRows } from './copy-rows.js';
import type { Database } from './database.js';
import { openPostgres } from './postgres-database.js';

/** A server that lets everyone in; the first it lets in never gets an answer again. */
let server: Server;
const open = new Set<Socket>();
let accepted = 0;

afterEach(() => {
  server.close();
  for (const socket of open) socket.destroy();
});

test.each<[string, (database: Database) => Promise<unknown>]>([
  ['a query', (database) => database.query('select 1')],
  ['rows', (database) => database.copy!('copy t from stdin', aRow())],
])(
  'a server falls silent on a connection → it is closed with %s, and who waits for its place has it',
  async (_case, ask) => {
    accepted = 0;
    const database = openPostgres({ url: await startServer(), poolSize: 1, patienceMs: 100 });
    const silent = ask(database.prompt());
    const next = database.query('select 2');
    await expect(silent).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' });
    await next;
    expect(accepted).toBe(2);
    await vi.waitFor(() => expect(open.size).toBe(1));
    await database.close();
  },
);

function aRow(): CopyRows {
  const rows = new CopyRows(100);
  rows.beginTable(1);
  rows.row();
  rows.integer(1);
  rows.endTable();
  return rows;
}

async function startServer(): Promise<string> {
  server = createServer((socket) => {
    const place = ++accepted;
    let greeted = false;
    open.add(socket);
    socket.on('close', () => open.delete(socket));
    socket.on('data', () => {
      if (!greeted) socket.write(Buffer.concat([message('R', Buffer.alloc(4)), READY]));
      else if (place > 1) socket.write(Buffer.concat([message('C', Buffer.from('SELECT 0\0')), READY]));
      greeted = true;
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `postgres://user:word@127.0.0.1:${(server.address() as AddressInfo).port}/app`;
}

function message(type: string, body: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

const READY = message('Z', Buffer.from('I'));
