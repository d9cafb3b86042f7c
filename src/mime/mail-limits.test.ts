import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { longestTurn } from '../kernel/longest-turn.fixture.js';
import { readAddresses, readMail, readTexts } from './index.js';

const HEAD =
  'From: Ann <ann@example.com>\r\nTo: Bob <bob@example.net>\r\nSubject: Hello\r\nMIME-Version: 1.0\r\n';
const written = (...lines: string[]) => Buffer.from(HEAD + lines.join('\r\n'), 'latin1');

test('any bytes, with any boundary → read or refused, and never more parts than were there', async () => {
  const piece = fc.constantFrom(
    '--b',
    '--b--',
    '\r\n',
    '\n',
    'a',
    'Content-Type: multipart/mixed; boundary=b',
    ':',
    '"',
    '(',
    '=?',
    ' ',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 60 }), async (pieces) => {
      const raw = written('Content-Type: multipart/mixed; boundary=b', '', pieces.join(''));
      const { parts } = await readMail(raw);
      expect(parts.length).toBeLessThanOrEqual(pieces.filter((one) => one === '--b').length + 1);
      expect(parts.every(({ body }) => body.length <= raw.length)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

describe('limits', () => {
  const mixed = (count: number) =>
    written('Content-Type: multipart/mixed; boundary=b', '', ...Array(count).fill('--b\r\n\r\na'), '--b--');
  const nested = (depth: number) => {
    const heads = Array.from(
      { length: depth },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}`,
    );
    return written(...heads, '', 'a');
  };

  test.each([
    ['99 parts', mixed(99), mixed(100), /more than 100 parts/],
    ['20 multiparts in each other', nested(20), nested(21), /nested more than 20 deep/],
    [
      '996 more header fields',
      written('a: b\r\n'.repeat(996)),
      written('a: b\r\n'.repeat(997)),
      /more than 1000 header fields/,
    ],
    [
      '250 KB of headers',
      written(`a: ${'b'.repeat(250_000)}\r\n`),
      written(`a: ${'b'.repeat(263_000)}\r\n`),
      /more than 256 KB of headers/,
    ],
  ])('%s → read; one more → refused with the limit', async (_what, most, more, limit) => {
    expect((await readMail(most)).parts.length).toBeGreaterThan(0);
    await expect(readMail(more)).rejects.toThrow(limit);
  });

  test('1000 addresses → read; 1001, or a line that is all commas → refused', async () => {
    const list = (count: number) =>
      Array.from({ length: count }, (_, n) => `"A, ${n}" <a${n}@example.com>`).join(', ');
    expect(await readAddresses(list(1000), 'To')).toHaveLength(1000);
    await expect(readAddresses(list(1001), 'To')).rejects.toThrow('more than 1000 addresses in To');
    await expect(readAddresses(','.repeat(60_000), 'To')).rejects.toThrow('more than 1000 addresses in To');
  });

  test('HTML and text of half a megabyte → read; a little more → refused with the limit', async () => {
    const read = async (size: number) =>
      readTexts(await readMail(written('', 'x'.repeat(size))), {
        maxBytes: 512 * 1024,
        toText: (html) => html,
      });
    expect((await read(512 * 1024)).text).toHaveLength(512 * 1024 + 1);
    await expect(read(512 * 1024 + 1)).rejects.toThrow('more than 512 KB of text');
  });
});

test.each([
  ['comments', '('],
  ['parameters', ';a'],
  ['pieces of a parameter', ";a*1*=utf-8''%"],
  ['escapes', '\\'],
  ['quotes', '"'],
  ['encoded words', '=?utf-8?B?YQ==?='],
  ['spaces', ' '],
])('a Content-Type of 250 KB of %s → in no time', async (_what, unit) => {
  const value = unit.repeat(250_000 / unit.length);
  const { total } = await longestTurn(async () => {
    await readMail(written(`Content-Type: text/plain; name=${value}\r\n`));
    await readMail(
      written(`Content-Disposition: ${value}; filename=${value.slice(0, 1000)}\r\n`).subarray(0, 260_000),
    );
  });
  expect(total).toBeLessThan(1500);
});
