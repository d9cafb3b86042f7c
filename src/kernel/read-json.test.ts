import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { MAX_JSON_DEPTH } from './json-shape.js';
import { longestTurn } from './longest-turn.fixture.js';
import { readJson, readJsonInTurns } from './read-json.js';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => Buffer.from(text, encoding);

test.each<[string, Buffer, string, RegExp]>([
  ['Latin-1', bytes('{"name":"J\u00fcrgen"}', 'latin1'), 'INVALID_JSON', /The message is not valid UTF-8/],
  ['too many bytes', bytes(`"${'x'.repeat(100)}"`), 'PAYLOAD_TOO_LARGE', /larger than 100 bytes/],
  ['too deep', bytes('['.repeat(20_000)), 'INVALID_JSON', /nested deeper than 64 levels/],
  ['too many values', bytes(`[${'[],'.repeat(100_001)}1]`), 'INVALID_JSON', /more than 100000 values/],
  ['half of it', bytes('{"a":'), 'INVALID_JSON', /The message is not valid JSON/],
])('%s → refused with the limit and what it is about', (_case, given, code, message) => {
  const maxBytes = code === 'PAYLOAD_TOO_LARGE' ? 100 : 1_000_000;
  expect(() => readJson(given, { what: 'The message', maxBytes })).toThrow(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});

test('exactly at the limits → read', () => {
  const text = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
  expect(readJson(bytes(text), { maxBytes: text.length })).toHaveLength(1);
});

const MB = 1024 ** 2;
const SIZE = 16 * MB - 100;
const inTurns = (text: string) => readJsonInTurns(async () => bytes(text), { what: 'The message' });

/** Shaped to cost as much as they can for their size. */
const LARGE: Record<string, () => string> = {
  'one string': () => `["${'A'.repeat(SIZE)}"]`,
  'escaped quotes': () => `["${'\\"'.repeat(SIZE / 2)}"]`,
  'escaped NULs': () => `["${'\\u0000'.repeat(SIZE / 6)}"]`,
  'backslashes, then quotes': () => `["${'\\\\'.repeat(SIZE / 4)}${'\\"'.repeat(SIZE / 4)}"]`,
  'text beyond Latin-1': () => `["${'漢'.repeat(SIZE / 3)}"]`,
  'white space': () => `[${' '.repeat(SIZE)}1]`,
  'a hundred thousand long keys': () =>
    `{${Array.from({ length: 99_990 }, (_, n) => `"${n}${'k'.repeat(150)}":1`).join(',')}}`,
  'fifty thousand objects': () =>
    `[${Array.from({ length: 49_990 }, (_, n) => `{"k${n}":"${'v'.repeat(300)}"}`).join(',')}]`,
  'a file as a list of bytes': () => `[[${'200,'.repeat(1_499_990)}1],"${'A'.repeat(SIZE - 6_000_000)}"]`,
};

test.each(Object.keys(LARGE))('16 MB, %s → read in turns of which none takes 100 ms', async (kind) => {
  const text = LARGE[kind]!();
  await inTurns(text.slice(0, 64)).catch(() => {});
  const { longest } = await longestTurn(() => inTurns(text));
  // Three times what it takes, as the process may be collecting what the tests before it left.
  expect(longest).toBeLessThan(300);
  expect(isDeepStrictEqual(await inTurns(text), JSON.parse(text))).toBe(true);
});

test.each([
  ['numbers that are no bytes', `[${'1.5,'.repeat(100_001)}1]`, /more than 100000 values/],
  ['numbers of four digits', `[${'1000,'.repeat(100_001)}1]`, /more than 100000 values/],
  ['more bytes than may be listed', `[${'1,'.repeat(1_500_002)}1]`, /more than 1500000 bytes listed/],
])('%s → refused before they are made', async (_case, text, message) => {
  await expect(inTurns(text)).rejects.toMatchObject({ message: expect.stringMatching(message) });
  expect(() => readJson(bytes(text))).toThrow(message);
});

test('strings and brackets across the parts it is looked through in → the same as in one go', async () => {
  const long = 'x'.repeat(MB - 3);
  const value = [`${long}\\`, `${long}"`, `${long}[[[`, { [long]: [1, 2, 3] }];
  expect(await inTurns(JSON.stringify(value))).toEqual(value);
  await expect(inTurns(`["${long}","${'['.repeat(10)}",${'['.repeat(70)}`)).rejects.toMatchObject({
    message: expect.stringMatching(/nested deeper than 64 levels/),
  });
});
