import { expect, test } from 'vitest';
import { type RowFormat, readRows } from './read-rows.js';

async function rowsOf(text: string | Uint8Array, format: RowFormat, chunk = 3): Promise<unknown[]> {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text;
  async function* pieces() {
    for (let at = 0; at < bytes.length; at += chunk) yield bytes.subarray(at, at + chunk);
  }
  const rows: unknown[] = [];
  for await (const row of readRows(pieces(), format)) rows.push({ ...row });
  return rows;
}

test.each([1, 2, 3, 1000])('CSV in pieces of %i bytes → the same rows', async (chunk) => {
  const text =
    '\ufeffemail,name,preferences.reminders\r\nada@example.com,"Lovelace, ""Ada""\nCountess",TRUE\r\n\r\nbo@example.com,,\n김@example.com,김,false';
  expect(JSON.parse(JSON.stringify(await rowsOf(text, 'csv', chunk)))).toEqual([
    { email: 'ada@example.com', name: 'Lovelace, "Ada"\nCountess', preferences: { reminders: true } },
    { email: 'bo@example.com' },
    { email: '김@example.com', name: '김', preferences: { reminders: false } },
  ]);
});

test('NDJSON with empty lines and no end → a row per object', async () => {
  expect(await rowsOf('{"email":"a@b.co"}\n\n{"email":"c@d.co"}', 'ndjson')).toEqual([
    { email: 'a@b.co' },
    { email: 'c@d.co' },
  ]);
});

test.each<[string, string | Uint8Array, RowFormat, object]>([
  ['a row with a column too many', 'email\na@b.co\nc@d.co,x', 'csv', { field: '[1]' }],
  ['a quote that is not closed', 'email\n"a@b.co', 'csv', { code: 'INVALID_PAYLOAD' }],
  ['a line that is no JSON', '{"email":"a@b.co"}\nnope', 'ndjson', { field: '[1]', code: 'INVALID_JSON' }],
  ['a line that is a list', '[]', 'ndjson', { field: '[0]' }],
  ['bytes that are no UTF-8', new Uint8Array([0x61, 0xff, 0x0a]), 'csv', { code: 'INVALID_PAYLOAD' }],
])('%s → refused with its row', async (_, text, format, error) => {
  await expect(rowsOf(text, format)).rejects.toMatchObject(error);
});

test('a row of two megabytes → refused before it is held', async () => {
  const endless = `email\n"${'a'.repeat(2 * 1024 * 1024)}`;
  await expect(rowsOf(endless, 'csv', 65_536)).rejects.toThrow('longer than 1 MB');
  await expect(rowsOf(`"${'a'.repeat(2 * 1024 * 1024)}`, 'ndjson', 65_536)).rejects.toThrow(
    'longer than 1 MB',
  );
});

test('a row of 500,000 open lists → refused by its depth, before it is parsed into forty times its size', async () => {
  await expect(rowsOf(`{"email":"a@example.net"}\n${'['.repeat(500_000)}`, 'ndjson')).rejects.toMatchObject({
    ...{ code: 'INVALID_JSON', field: '[1]', message: expect.stringContaining('nested deeper than 64') },
  });
});

test('a row of a megabyte that comes byte by byte → read in time that grows with its bytes', async () => {
  async function* drip() {
    const line = Buffer.from(`{"email":"${'a'.repeat(500_000)}"}\n`);
    for (const byte of line) yield Uint8Array.of(byte);
  }
  const rows: unknown[] = [];
  for await (const row of readRows(drip(), 'ndjson')) rows.push(row);
  expect(rows).toHaveLength(1);
});

test('a hundred thousand columns → refused at the first row, with the limit', async () => {
  const names = (count: number) => Array.from({ length: count }, (_, index) => `c${index}`).join(',');
  const refusal = 'The first row has more than 1000 columns.';
  await expect(rowsOf(`${names(100_000)}\n${names(100_000)}`, 'csv')).rejects.toThrow(refusal);
  await expect(rowsOf(names(1001), 'csv')).rejects.toThrow(refusal);
  expect(await rowsOf(`${names(1000)}\n${names(1000)}`, 'csv')).toHaveLength(1);
});
