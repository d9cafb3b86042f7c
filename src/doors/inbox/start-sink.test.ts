import { mkdtempSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTransport } from 'nodemailer';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock, onKillPoint, silentLogger } from '../../kernel/index.js';
import { createInbox, type Inbox } from './create-inbox.js';
import type { Sink } from './start-sink.js';

const HOST = '127.0.0.1';
const MESSAGE = { from: 'sender@example.com', to: 'ada@example.com', subject: 'Hello', text: 'Hello' };
let directory: string;
let inbox: Inbox;
let sink: Sink;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'sink-'));
  inbox = await createInbox({ directory, clock: new ManualClock(), logger: silentLogger });
  sink = await inbox.startSink({ host: HOST, port: 0 });
});
afterEach(async () => {
  onKillPoint(undefined);
  await sink.stop({ deadlineMs: 100 });
  rmSync(directory, { recursive: true, force: true });
});

test('an SMTP client → its message is on disk with its envelope, Bcc included, when it hears 250', async () => {
  await transport().sendMail({ ...MESSAGE, bcc: 'hidden@example.com' });
  const reopened = await createInbox({ directory, clock: new ManualClock(), logger: silentLogger });
  expect(reopened.list()).toMatchObject([
    {
      subject: 'Hello',
      envelope: { from: 'sender@example.com', to: ['ada@example.com', 'hidden@example.com'] },
    },
  ]);
});

test.each(['PLAIN', 'LOGIN'])('AUTH %s with any password → accepted', async (authMethod) => {
  await transport({ auth: { user: 'anyone', pass: 'anything' }, authMethod }).sendMail(MESSAGE);
  expect(inbox.list()).toHaveLength(1);
});

test('an empty sender (a bounce) and a non-ASCII address → accepted', async () => {
  const envelope = { from: '', to: 'jürgen@example.com' };
  await transport().sendMail({ ...MESSAGE, envelope });
  expect(inbox.list()[0]?.envelope).toEqual({ from: '', to: ['jürgen@example.com'] });
});

test('many at once → all kept, each with an id of its own', async () => {
  const client = transport({ pool: true, maxConnections: 5 });
  await Promise.all(Array.from({ length: 40 }, (_, n) => client.sendMail({ ...MESSAGE, subject: `n${n}` })));
  client.close();
  expect(new Set(inbox.list().map(({ subject }) => subject)).size).toBe(40);
});

test('a message that cannot be stored → 451, so the sender keeps it', async () => {
  onKillPoint(() => {
    throw new Error('disk full');
  });
  await expect(transport().sendMail(MESSAGE)).rejects.toMatchObject({ responseCode: 451 });
  expect(inbox.list()).toEqual([]);
});

test('a message over 30 MB → 552, nothing kept, the next one is welcome', async () => {
  const socket = createConnection(sink.port, HOST);
  const replies = lines(socket);
  for (const command of [
    'EHLO client.example.com',
    'MAIL FROM:<a@example.com>',
    'RCPT TO:<b@example.com>',
    'DATA',
  ]) {
    await replies.next();
    socket.write(`${command}\r\n`);
  }
  expect(await replies.next()).toMatch(/^354/);
  const line = Buffer.from(`${'x'.repeat(998)}\r\n`.repeat(1000));
  for (let sent = 0; sent < 32; sent++) {
    if (!socket.write(line)) await new Promise((resolve) => socket.once('drain', resolve));
  }
  socket.write('\r\n.\r\n');
  expect(await replies.next()).toMatch(/^552/);
  socket.destroy();
  await transport().sendMail(MESSAGE);
  expect(inbox.list()).toHaveLength(1);
});

test('a port that is taken → INVALID_CONFIG naming DEV_SMTP_PORT', async () => {
  const second = inbox.startSink({ host: HOST, port: sink.port });
  await expect(second).rejects.toMatchObject({ code: 'INVALID_CONFIG', field: 'DEV_SMTP_PORT' });
  await expect(second).rejects.toThrow(`DEV_SMTP_PORT ${sink.port} on ${HOST} is already in use.`);
});

test('stop with a client connected → ends by the deadline, a second stop is the same one', async () => {
  const socket = createConnection(sink.port, HOST);
  await lines(socket).next();
  const stopped = sink.stop({ deadlineMs: 50 });
  expect(sink.stop()).toBe(stopped);
  await stopped;
  socket.destroy();
});

function transport(options: object = {}) {
  return createTransport({ host: HOST, port: sink.port, secure: false, ...options });
}

/** Replies in order; a multi-line one counts once, by its last line. */
function lines(socket: ReturnType<typeof createConnection>) {
  const ready: string[] = [];
  const waiting: ((line: string) => void)[] = [];
  let rest = '';
  socket.on('data', (data) => {
    const parts = (rest + String(data)).split('\r\n');
    rest = parts.pop() ?? '';
    for (const line of parts.filter((part) => /^\d{3} /.test(part))) {
      const waiter = waiting.shift();
      if (waiter) waiter(line);
      else ready.push(line);
    }
  });
  return {
    next: (): Promise<string> =>
      new Promise((resolve) => {
        const line = ready.shift();
        if (line === undefined) waiting.push(resolve);
        else resolve(line);
      }),
  };
}
