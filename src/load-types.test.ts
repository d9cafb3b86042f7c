import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { loadTypes } from './load-types.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'types-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** As defineEmail makes them; the module under test imports nothing. */
const made = (type: string) =>
  `{ type: '${type}', portal: 'app', category: 'orders', expiresInMs: null, data: { safeParse: () => ({}) } }`;
const write = (text: string) => {
  const file = join(folder, 'emails.mjs');
  writeFileSync(file, text);
  return file;
};

test('a module with types alone, in a list and as default → all of them, each once', async () => {
  const file = write(
    `export const one = ${made('one')};\nexport const other = 1;\nexport const many = [one, ${made('two')}];\nexport default many;`,
  );
  const found = (await loadTypes(file))!;
  expect(found.types.map(({ type }) => type).sort()).toEqual(['one', 'two']);
  expect(found.folder).toBe(resolve(folder));
});

test('the module changes → read again', async () => {
  const found = (await loadTypes(write(`export const one = ${made('one')};`)))!;
  write(`export const one = ${made('another')};`);
  expect((await found.load()).map(({ type }) => type)).toEqual(['another']);
});

test.each([
  ['missing', undefined, 'cannot be loaded'],
  ['broken', 'export const = 1', 'cannot be loaded'],
  ['without a type', 'export const x = { type: 1 }', 'exports no type made with defineEmail'],
])('a module that is %s → INVALID_CONFIG', async (_, text, said) => {
  const file = text === undefined ? join(folder, 'none.mjs') : write(text);
  await expect(loadTypes(file)).rejects.toMatchObject({
    ...{ code: 'INVALID_CONFIG', field: 'POSTRIDER_TYPES', message: expect.stringContaining(said) },
  });
});

test('nothing configured → nothing', async () => {
  expect(await loadTypes(null)).toBeUndefined();
});
