import { cpSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ManualClock, newId, onKillPoint, silentLogger, systemClock } from '../../kernel/index.js';
import { createInbox, type InboxChange } from './create-inbox.js';

const ENVELOPE = { from: 'bounce@example.com', to: ['ada@example.com', 'hidden@example.com'] };
let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'inbox-'));
});
afterEach(() => {
  onKillPoint(undefined);
  rmSync(directory, { recursive: true, force: true });
});

test('a message → listed with what its headers and its envelope say', async () => {
  const inbox = await open();
  const emailId = newId();
  await inbox.add(eml('Grüße', `<${emailId}@mail.example.com>`), ENVELOPE);
  expect(inbox.list()).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      from: 'Sender <sender@example.com>',
      to: ['Ada <ada@example.com>'],
      subject: 'Grüße',
      date: '2026-01-02T03:04:05.000Z',
      receivedAt: '2026-01-01T00:00:00.000Z',
      size: expect.any(Number),
      messageId: `<${emailId}@mail.example.com>`,
      emailId,
      attachments: 0,
      envelope: ENVELOPE,
    },
  ]);
});

test('a restart → the same list, the same bytes', async () => {
  const before = await open();
  const raw = eml('first');
  const { id } = await before.add(raw, ENVELOPE);
  await before.add(eml('second'), ENVELOPE);
  const after = await open();
  expect(after.list()).toEqual(before.list());
  expect(after.list().map(({ subject }) => subject)).toEqual(['second', 'first']);
  expect(Buffer.from((await after.raw(id)) ?? [])).toEqual(raw);
});

test('a kill at any point of the write → after the restart the message is whole or not there at all', async () => {
  const snapshots: string[] = [];
  onKillPoint((name) => {
    const copy = join(directory, '..', `${directory.split('/').at(-1)}-${name.replace(':', '-')}`);
    cpSync(directory, copy, { recursive: true });
    snapshots.push(copy);
  });
  await (await open()).add(eml('written'), ENVELOPE);
  expect(snapshots).toHaveLength(2);
  for (const killed of snapshots) {
    expect(readdirSync(killed)).not.toEqual([]);
    const inbox = await createInbox({ directory: killed, clock: new ManualClock(), logger: silentLogger });
    expect(inbox.list()).toEqual([]);
    expect(readdirSync(killed)).toEqual([]);
    rmSync(killed, { recursive: true });
  }
  expect((await open()).list()).toHaveLength(1);
});

test('a write that fails → thrown, nothing listed, nothing left on disk', async () => {
  const inbox = await open();
  onKillPoint(() => {
    throw new Error('disk full');
  });
  await expect(inbox.add(eml('lost'), ENVELOPE)).rejects.toThrow('disk full');
  expect(inbox.list()).toEqual([]);
  expect(readdirSync(directory)).toEqual([]);
});

test('an envelope file that is gone or broken → the message is read from its own bytes', async () => {
  const inbox = await createInbox({ directory, clock: systemClock, logger: silentLogger });
  const first = await inbox.add(eml('first'), ENVELOPE);
  const second = await inbox.add(eml('second'), ENVELOPE);
  rmSync(join(directory, `${first.id}.json`));
  writeFileSync(join(directory, `${second.id}.json`), '{"id":');
  expect((await open()).list()).toMatchObject([
    { id: second.id, subject: 'second', envelope: { from: '', to: [] } },
    { id: first.id, subject: 'first', receivedAt: timeOf(first.id) },
  ]);
});

test("files of someone else's in the folder → left alone", async () => {
  writeFileSync(join(directory, 'notes.json'), '{}');
  writeFileSync(join(directory, 'draft.tmp'), 'x');
  expect((await open()).list()).toEqual([]);
  expect(readdirSync(directory).sort()).toEqual(['draft.tmp', 'notes.json']);
});

test('more than it keeps → the oldest are removed, in memory and on disk, also at the next start', async () => {
  const inbox = await open(2);
  for (const subject of ['one', 'two', 'three']) await inbox.add(eml(subject), ENVELOPE);
  expect(inbox.list().map(({ subject }) => subject)).toEqual(['three', 'two']);
  expect(readdirSync(directory)).toHaveLength(4);
  expect((await open(1)).list().map(({ subject }) => subject)).toEqual(['three']);
  expect(readdirSync(directory)).toHaveLength(2);
});

test('changes → told to whoever listens, until they stop', async () => {
  const inbox = await open(1);
  const changes: InboxChange[] = [];
  const stop = inbox.subscribe((change) => changes.push(change));
  const first = await inbox.add(eml('one'), ENVELOPE);
  const second = await inbox.add(eml('two'), ENVELOPE);
  expect(await inbox.clear()).toBe(1);
  stop();
  await inbox.add(eml('three'), ENVELOPE);
  expect(changes).toEqual([
    { kind: 'received', message: first },
    { kind: 'received', message: second },
    { kind: 'removed', id: first.id },
    { kind: 'cleared' },
  ]);
});

test('a listener that throws → the message is kept, the others are told', async () => {
  const inbox = await open();
  const told: string[] = [];
  inbox.subscribe(() => {
    throw new Error('broken page');
  });
  inbox.subscribe(({ kind }) => told.push(kind));
  await inbox.add(eml('one'), ENVELOPE);
  expect(told).toEqual(['received']);
});

test('clear → nothing listed, nothing on disk, the ids answer null', async () => {
  const inbox = await open();
  const { id } = await inbox.add(eml('one'), ENVELOPE);
  await inbox.clear();
  expect([inbox.list(), inbox.find(id), await inbox.raw(id)]).toEqual([[], undefined, null]);
  expect(readdirSync(directory)).toEqual([]);
});

test.each([
  ['nothing', ''],
  ['no headers', '\r\nbody'],
  ['noise', '\u0000\u0001\r\n\r\n\u0000'],
  ['more headers than the parser takes', `X: ${'x'.repeat(3_000_000)}\r\n\r\n`],
])('a message that is %s → kept all the same', async (_case, source) => {
  const inbox = await open();
  const { id } = await inbox.add(Buffer.from(source), ENVELOPE);
  expect(inbox.find(id)).toMatchObject({ subject: '', to: [], emailId: null });
  expect(Buffer.from((await inbox.raw(id)) ?? []).toString()).toBe(source);
});

function open(keep?: number) {
  return createInbox({ directory, clock: new ManualClock(), logger: silentLogger, ...(keep && { keep }) });
}

function eml(subject: string, messageId = '<not-ours@example.com>'): Buffer {
  const encoded = `=?utf-8?B?${Buffer.from(subject).toString('base64')}?=`;
  const headers = [
    'From: Sender <sender@example.com>',
    'To: Ada <ada@example.com>',
    `Subject: ${encoded}`,
    `Message-ID: ${messageId}`,
    'Date: Fri, 02 Jan 2026 03:04:05 +0000',
  ];
  return Buffer.from(`${headers.join('\r\n')}\r\n\r\nHello\r\n`);
}

/** An id holds the time it was made, which may be ahead of the clock: ids of one process only rise. */
function timeOf(id: string): string {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)).toISOString();
}
