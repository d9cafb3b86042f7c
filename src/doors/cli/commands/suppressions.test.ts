import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Suppression, Suppressions } from '../../../recipients/index.js';
import { cliForTest } from '../cli.fixture.js';

const ROW: Suppression = {
  companyId: 'acme',
  email: 'ada@example.com',
  reason: 'unsubscribe',
  category: 'reminders',
  emailId: null,
  note: 'said, "no"',
  createdAt: '2026-01-02T03:04:05.000Z',
};
const folder = mkdtempSync(join(tmpdir(), 'postrider-suppressions-'));

function cliWith(list: Partial<Suppressions>) {
  const asked: unknown[][] = [];
  const suppressions = Object.fromEntries(
    Object.entries(list).map(([name, act]) => [
      name,
      (...args: never[]) => {
        asked.push([name, ...args]);
        return (act as (...args: never[]) => unknown)(...args);
      },
    ]),
  ) as unknown as Suppressions;
  return { asked, ...cliForTest({ application: { suppressions: async () => suppressions } }) };
}

test('suppressions add → every address with its reason, and how many were new', async () => {
  const cli = cliWith({ add: async () => 1 });
  const args = ['a@example.com', 'b@example.com', '--reason', 'complaint', '--company', 'acme'];
  expect(await cli.run('suppressions', 'add', ...args)).toBe(0);
  expect(cli.asked).toEqual([
    [
      'add',
      [
        { email: 'a@example.com', reason: 'complaint' },
        { email: 'b@example.com', reason: 'complaint' },
      ],
      { companyId: 'acme' },
    ],
  ]);
  expect(cli.out).toEqual(['1 added, 1 known']);
});

test('suppressions remove and list → say what there was', async () => {
  const cli = cliWith({ remove: async () => 2, find: async () => [ROW] });
  expect(await cli.run('suppressions', 'remove', 'a@example.com')).toBe(0);
  expect(await cli.run('suppressions', 'list', 'ada@example.com')).toBe(0);
  expect(cli.out[0]).toBe('2 removed');
  expect(cli.out[1]).toMatch(/^ada@example.com\s+unsubscribe\s+reminders/);
});

test('exported and imported again → the same rows; the hash of an erased person stays at home', async () => {
  const file = join(folder, 'list.csv');
  const exporting = cliWith({
    async *exportAll() {
      yield ROW;
      yield { ...ROW, email: null };
    },
  });
  expect(await exporting.run('suppressions', 'export', file)).toBe(0);
  expect(readFileSync(file, 'utf8')).toBe(
    'email,reason,category,emailId,note,createdAt\r\nada@example.com,unsubscribe,reminders,,"said, ""no""",2026-01-02T03:04:05.000Z\r\n',
  );
  const rows: unknown[] = [];
  const importing = cliWith({
    async importAll(given) {
      for await (const row of given) rows.push({ ...(row as object) });
      return { added: rows.length, known: 0 };
    },
  });
  expect(await importing.run('suppressions', 'import', file)).toBe(0);
  const { companyId: _, emailId: __, ...same } = ROW;
  expect(rows).toEqual([same]);
});

test('a file that is there already → is not written over', async () => {
  const file = join(folder, 'kept.ndjson');
  writeFileSync(file, 'kept');
  const cli = cliWith({
    async *exportAll() {
      yield ROW;
    },
  });
  expect(await cli.run('suppressions', 'export', file)).not.toBe(0);
  expect(existsSync(file) && readFileSync(file, 'utf8')).toBe('kept');
});
