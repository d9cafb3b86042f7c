import { expect, test } from 'vitest';
import { MAX_JSON_DEPTH } from '../../kernel/index.js';
import { readJsonRequest } from './read-json-body.js';

const LIMIT = 2_000_000;

test.each([
  ['text', 'text/plain'],
  ['no type', ''],
  ['another charset', 'application/json; charset=latin1'],
  ['a look-alike', 'application/jsonp'],
])('%s → UNSUPPORTED_MEDIA_TYPE', async (_case, type) => {
  await expect(read('{}', { 'Content-Type': type })).rejects.toMatchObject({
    status: 415,
    field: 'Content-Type',
  });
});

test('a compressed body → UNSUPPORTED_MEDIA_TYPE', async () => {
  const refused = read('{}', { 'Content-Encoding': 'gzip' });
  await expect(refused).rejects.toMatchObject({ status: 415, field: 'Content-Encoding' });
});

test('charset=UTF-8, a byte order mark → read', async () => {
  expect(await read('\ufeff{"a":1}', { 'Content-Type': 'application/json; charset=UTF-8' })).toEqual({
    a: 1,
  });
});

test.each([
  ['invalid UTF-8', new Uint8Array([0x22, 0xff, 0x22])],
  ['an overlong encoding', new Uint8Array([0x22, 0xc0, 0xaf, 0x22])],
  ['nothing', ''],
  ['half an object', '{"to":'],
  ['half a string', '{"to":"\\'],
  ['a megabyte of [', '['.repeat(1_000_000)],
  ['a megabyte of {"a":', '{"a":'.repeat(200_000)],
  ['two hundred thousand values', `[${'"",'.repeat(200_000)}1]`],
  ['two hundred thousand empty arrays', `[${'[],'.repeat(200_000)}1]`],
  ['one level too deep', '['.repeat(MAX_JSON_DEPTH + 1) + ']'.repeat(MAX_JSON_DEPTH + 1)],
])('%s → INVALID_JSON', async (_case, body) => {
  await expect(read(body)).rejects.toMatchObject({ code: 'INVALID_JSON', status: 400 });
});

test('as deep as allowed, brackets and escaped quotes inside strings → read', async () => {
  const deep = '['.repeat(MAX_JSON_DEPTH) + ']'.repeat(MAX_JSON_DEPTH);
  expect(await read(deep)).toHaveLength(1);
  const tricky = { a: '['.repeat(1000), b: `\\"${'{'.repeat(1000)}`, c: '\\', d: ['x\\'] };
  expect(await read(JSON.stringify(tricky))).toEqual(tricky);
});

test('a file as a list of bytes → read, however many there are', async () => {
  const bytes = Array.from({ length: 200_000 }, (_, index) => index % 256);
  expect(await read(JSON.stringify({ data: bytes }))).toEqual({ data: bytes });
  expect(await read(`[${bytes.join(', ')}]`)).toEqual(bytes);
});

test('longer than the limit by its own account → PAYLOAD_TOO_LARGE before a byte is read', async () => {
  const untouched = new ReadableStream({}, { highWaterMark: 0 });
  const refused = read(untouched, { 'Content-Length': String(LIMIT + 1) });
  await expect(refused).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
});

test('chunked without a length → PAYLOAD_TOO_LARGE as soon as the limit is passed', async () => {
  let sent = 0;
  const endless = new ReadableStream({
    pull(controller) {
      sent += 65_536;
      controller.enqueue(new Uint8Array(65_536).fill(0x20));
    },
  });
  await expect(read(endless)).rejects.toMatchObject({ code: 'PAYLOAD_TOO_LARGE' });
  expect(sent).toBeLessThan(LIMIT + 4 * 65_536);
});

test('a sender that breaks off → INVALID_JSON, not a fault of ours', async () => {
  const broken = new ReadableStream({ pull: (controller) => controller.error(new Error('reset')) });
  await expect(read(broken)).rejects.toMatchObject({ code: 'INVALID_JSON' });
});

function read(
  body: string | Uint8Array | ReadableStream,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const given = { 'Content-Type': 'application/json', ...headers };
  const init = { method: 'POST', body, headers: given, duplex: 'half' } as RequestInit;
  return readJsonRequest({ request: new Request('http://localhost/', init), limitBytes: LIMIT });
}
