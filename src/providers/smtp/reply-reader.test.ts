import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ReplyReader } from './reply-reader.js';

const reply = fc.record({
  code: fc.integer({ min: 200, max: 599 }),
  lines: fc.array(fc.string({ unit: 'grapheme', maxLength: 40 }), { minLength: 1, maxLength: 5 }),
});

test('any replies cut anywhere → the same replies', () => {
  fc.assert(
    fc.property(fc.array(reply, { maxLength: 6 }), fc.integer({ min: 1, max: 7 }), (replies, size) => {
      const clean = replies.map(({ code, lines }) => ({
        code,
        lines: lines.map((line) => line.replace(/[\r\n]/g, ' ')),
      }));
      const bytes = Buffer.from(
        clean
          .flatMap(({ code, lines }) =>
            lines.map((line, i) => `${code}${i === lines.length - 1 ? ' ' : '-'}${line}\r\n`),
          )
          .join(''),
      );
      const reader = new ReplyReader();
      const seen = [];
      for (let at = 0; at < bytes.length; at += size) {
        const result = reader.push(bytes.subarray(at, at + size));
        expect(result.violation).toBeUndefined();
        seen.push(...result.replies);
      }
      expect(seen.map(({ code, lines }) => ({ code, lines }))).toEqual(clean);
      expect(reader.midReply).toBe(false);
    }),
  );
});

test.each([
  ['a line that never ends', `250 ${'x'.repeat(5000)}`],
  ['a reply that never ends', '250-x\r\n'.repeat(8000)],
  ['no code', 'hello\r\n'],
  ['an impossible code', '650 x\r\n'],
  ['two codes in one reply', '250-x\r\n550 y\r\n'],
])('%s → violation', (_case, text) => {
  expect(new ReplyReader().push(Buffer.from(text)).violation).toBeDefined();
});

test('replies before a violation → still given', () => {
  const { replies, violation } = new ReplyReader().push(Buffer.from('250 ok\r\nnoise\r\n'));
  expect(replies).toHaveLength(1);
  expect(violation).toBe('not an SMTP reply');
});
