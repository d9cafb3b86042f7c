import { connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { createLogger } from '../../src/kernel/index.js';
import { createEmptyDatabase, queryOnce, waitFor } from '../services/index.js';
import { anEmail } from './ground/open-journey.js';
import { scriptedProvider } from './ground/scripted-provider.js';

/** `start()` against databases that will never do and databases that are only late. */
let database: { url: string; drop(): Promise<void> };
beforeAll(async () => {
  database = await createEmptyDatabase();
});
afterAll(() => database.drop());

function on(url: string): { postrider: Postrider; lines: string[] } {
  const lines: string[] = [];
  const postrider = createPostrider({
    database: url,
    provider: scriptedProvider(),
    from: { address: 'noreply@example.com' },
    logger: createLogger({ level: 'debug', destination: { write: (line) => lines.push(line) } }),
  });
  onTestFinished(() => postrider.stop({ deadlineMs: 500 }));
  return { postrider, lines };
}

/** The test's server, asked as somebody else or for something else. */
function changed(change: (url: URL) => void, base = database.url): string {
  const url = new URL(base);
  change(url);
  return url.href;
}

/** Something on a port that answers every connection in the way that was last said. */
async function standIn(first: (socket: Socket) => void) {
  let answer = first;
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    answer(socket);
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(
    () =>
      new Promise<void>((closed) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => closed());
      }),
  );
  const { port } = server.address() as { port: number };
  return {
    url: changed((url) => {
      url.hostname = '127.0.0.1';
      url.port = String(port);
    }),
    answerBy(next: (socket: Socket) => void) {
      answer = next;
    },
  };
}

const refusing = (sqlState: string) => (socket: Socket) => {
  socket.once('data', () => {
    const fields = Buffer.from(`SFATAL\0C${sqlState}\0Mno, ${sqlState}\0\0`);
    const head = Buffer.alloc(5);
    head.write('E');
    head.writeInt32BE(fields.length + 4, 1);
    socket.end(Buffer.concat([head, fields]));
  });
};

const forwarding = (socket: Socket) => {
  const { hostname, port } = new URL(database.url);
  const there = connect(Number(port), hostname);
  there.on('error', () => socket.destroy());
  socket.on('close', () => there.destroy());
  socket.pipe(there).pipe(socket);
};

describe('a fault that stays', () => {
  test.each(['28P01', '28000', '3D000', '42501'])(
    'the server answers %s → start rejects with STORE_REFUSED and a remedy, and so does send',
    async (sqlState) => {
      const { url } = await standIn(refusing(sqlState));
      const { postrider } = on(url);
      for (const call of [() => postrider.start(), () => postrider.send(anEmail()), () => postrider.ready()])
        await expect(call()).rejects.toMatchObject({
          code: 'STORE_REFUSED',
          help: expect.stringMatching(/role and the password/),
          cause: { code: sqlState },
        });
    },
  );

  test('no schema, and a role that may not make one → STORE_NOT_MIGRATED, which says both', async () => {
    const role = `poor_${process.pid}`;
    await queryOnce(database.url, `create role ${role} login`);
    onTestFinished(async () => {
      await queryOnce(database.url, `drop role ${role}`);
    });
    const { postrider } = on(
      changed((url) => {
        url.username = role;
      }),
    );
    for (const call of [() => postrider.start(), () => postrider.send(anEmail())])
      await expect(call()).rejects.toMatchObject({
        code: 'STORE_NOT_MIGRATED',
        message: expect.stringMatching(/has no Postrider schema.*may not.*permission denied/),
        help: expect.stringContaining('postrider migrate'),
      });
  });

  test('a schema newer than this code understands → STORE_TOO_NEW; mended, the next start begins', async () => {
    const { postrider } = on(database.url);
    await postrider.migrate();
    const { postrider: old } = on(database.url);
    await queryOnce(database.url, "insert into postrider.schema_migrations values (9999, 'later', 9999)");
    await expect(old.start()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
    await queryOnce(database.url, 'delete from postrider.schema_migrations where number = 9999');
    await old.start();
    expect(old.workerState()).toMatchObject({ up: true });
  });

  test('no PostgreSQL we know → STORE_UNSUITABLE, which says what it is', async () => {
    const other = await createEmptyDatabase();
    onTestFinished(() => other.drop());
    await queryOnce(other.url, 'create schema before');
    await queryOnce(
      other.url,
      "create function before.version() returns text language sql as $$ select 'CockroachDB CCL v25' $$",
    );
    const name = new URL(other.url).pathname.slice(1);
    await queryOnce(other.url, `alter database "${name}" set search_path = before, pg_catalog, public`);
    const { postrider } = on(other.url);
    await expect(postrider.start()).rejects.toMatchObject({
      code: 'STORE_UNSUITABLE',
      message: expect.stringContaining('CockroachDB'),
      help: expect.stringContaining('PostgreSQL 14'),
    });
  });
});

describe('a fault that passes', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['the connection is refused', (socket) => socket.destroy()],
    ['the server starts, 57P03', refusing('57P03')],
    ['too many connections, 53300', refusing('53300')],
  ])('%s → start waits, ready rejects, an error is logged; over → it delivers', async (_case, fault) => {
    const server = await standIn(fault);
    const { postrider, lines } = on(server.url);
    let state = 'waiting';
    const started = postrider.start().then(() => {
      state = 'started';
    });
    const errors = () => lines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50);
    await waitFor(() => errors().length >= 2, { timeoutMs: 10_000, what: 'two attempts' });
    expect(errors()[0]).toMatchObject({ code: 'STORE_UNAVAILABLE' });
    expect(state).toBe('waiting');
    expect(postrider.workerState()?.up ?? false).toBe(false);
    await expect(postrider.ready()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE', retryable: true });
    server.answerBy(forwarding);
    await started;
    const { emailId } = await postrider.send(anEmail());
    await waitFor(async () => (await postrider.get(emailId))?.status === 'sent', {
      timeoutMs: 10_000,
      what: 'the email to be sent',
    });
  });

  test('stopped while it waits → start and stop return', async () => {
    const server = await standIn((socket) => socket.destroy());
    const { postrider } = on(server.url);
    const started = postrider.start();
    await postrider.stop({ deadlineMs: 500 });
    await started;
    expect(postrider.workerState()?.up ?? false).toBe(false);
  });
});

describe('SQL errors', () => {
  test("a table that is gone → a code from every call, the database's error as its cause", async () => {
    const other = await createEmptyDatabase();
    onTestFinished(() => other.drop());
    const { postrider } = on(other.url);
    await postrider.ready();
    await queryOnce(other.url, 'alter schema postrider rename to elsewhere');
    const id = crypto.randomUUID();
    const calls: Record<string, () => Promise<unknown>> = {
      send: () => postrider.send(anEmail()),
      sendBatch: () => postrider.sendBatch([anEmail()]),
      schedule: () => postrider.schedule(anEmail(), new Date(Date.now() + 60_000)),
      reschedule: () => postrider.reschedule(id, new Date(Date.now() + 60_000)),
      cancel: () => postrider.cancel(id),
      get: () => postrider.get(id),
      timeline: () => postrider.timeline(id),
      overview: () => postrider.overview(),
      pause: () => postrider.pause('all'),
      resume: () => postrider.resume('all'),
      'templates.list': () => postrider.templates.list(),
      'recipients.upsert': () => postrider.recipients.upsert([{ email: 'ada@example.com' }]),
      'suppressions.list': () => postrider.suppressions.list(),
      'rateLimits.list': () => postrider.rateLimits.list(),
      'quotas.list': () => postrider.quotas.list(),
      'schedules.list': () => postrider.schedules.list(),
    };
    for (const [name, call] of Object.entries(calls))
      await expect(call(), name).rejects.toMatchObject({
        name: 'PostriderError',
        code: 'STORE_NOT_MIGRATED',
        cause: { code: expect.stringMatching(/^(42P01|3F000)$/) },
      });
  });

  test("the application's own statement in Postrider's transaction → the driver's error, as on its own client", async () => {
    const { postrider } = on(database.url);
    await expect(
      postrider.transaction((tx) => tx.query('select * from nothing_of_ours')),
    ).rejects.toMatchObject({ code: '42P01', name: 'error' });
  });
});
