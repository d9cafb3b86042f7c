import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeBody, takeAsBase64, transferEncodingOf } from './decode-body.js';
import { Pace } from './pace.js';

const decoded = async (body: string, encoding: 'base64' | 'quoted-printable') =>
  (await decodeBody(Buffer.from(body, 'latin1'), encoding, new Pace())).toString('latin1');
const taken = (body: Buffer | string, encoding: 'base64' | 'quoted-printable' | 'none') =>
  takeAsBase64(Buffer.from(body as string, 'latin1'), encoding, new Pace());

describe('base64', () => {
  const bytes = fc.uint8Array({ maxLength: 400 }).map((list) => Buffer.from(list));

  test('any bytes, in lines → the same bytes, and the same base64 without lines', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, fc.integer({ min: 1, max: 90 }), async (sent, width) => {
        const text = sent.toString('base64').replace(new RegExp(`.{${width}}`, 'g'), '$&\r\n');
        expect(await decoded(text, 'base64')).toBe(sent.toString('latin1'));
        expect(await taken(text, 'base64')).toBe(sent.toString('base64'));
      }),
    );
  });

  test('any lines, each encoded and padded by itself → their bytes one after the other', async () => {
    const padded = bytes.filter((line) => line.length % 3 !== 0);
    await fc.assert(
      fc.asyncProperty(fc.array(padded, { maxLength: 6 }), async (lines) => {
        const text = lines.map((line) => line.toString('base64')).join('\r\n');
        const sent = Buffer.concat(lines);
        expect(await decoded(text, 'base64')).toBe(sent.toString('latin1'));
        expect(await taken(text, 'base64')).toBe(sent.toString('base64'));
      }),
    );
  });

  test.each([
    ['no padding', 'QQ', 'QQ=='],
    ['meaningless bits that are not zero', 'QR==', 'QQ=='],
    ['one character too many', 'QUJDR', 'QUJD'],
    ['characters of no base64', 'QU-JD_!', 'QUJD'],
    ['padding alone', '====', ''],
    ['nothing', '', ''],
    ['padding that comes twice', 'QQ==\r\n====\r\n', 'QQ=='],
  ])('%s → read as far as it says something, written strictly', async (_what, body, strict) => {
    expect(await taken(body, 'base64')).toBe(strict);
    expect(await decoded(body, 'base64')).toBe(Buffer.from(strict, 'base64').toString('latin1'));
  });
});

describe('quoted-printable', () => {
  test.each([
    ['a soft break', 'a=\r\nb', 'ab'],
    ['a soft break with spaces after it', 'a= \t\r\nb', 'ab'],
    ['small letters', '=c3=a4', '\xc3\xa4'],
    ['what is no escape', '100 = 5=5 =zz', '100 = 5=5 =zz'],
    ['an equals sign at the end', 'a=', 'a'],
    ['half an escape at the end', 'a=C', 'a=C'],
  ])('%s → %j is %j', async (_what, body, text) => {
    expect(await decoded(body, 'quoted-printable')).toBe(text);
  });

  test('escapes at every place of a long body → whole, wherever it is cut into slices', async () => {
    for (const before of [131_060, 131_065, 131_070, 131_071, 131_072]) {
      const body = `${'x'.repeat(before)}=41=\r\n=${' '.repeat(20)}\r\n=42y`;
      expect(await decoded(body, 'quoted-printable')).toBe(`${'x'.repeat(before)}ABy`);
      expect(Buffer.from(await taken(body, 'quoted-printable'), 'base64').toString()).toBe(
        `${'x'.repeat(before)}ABy`,
      );
    }
  });
});

test.each([
  [undefined, 'none'],
  ['7bit', 'none'],
  ['BASE64', 'base64'],
  ['(the usual one) base64', 'base64'],
  ['Quoted-Printable ', 'quoted-printable'],
  ['x-unknown', 'none'],
])('%s → %s', (value, encoding) => {
  expect(transferEncodingOf(value)).toBe(encoding);
});
