import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeForWire } from './encode-for-wire.js';

const pieces = fc
  .array(fc.constantFrom('\r', '\n', '\r\n', '.', '..', 'a', 'text', 'ü'), { maxLength: 40 })
  .map((all) => all.join(''));

test('any mixture of line ends and dots → only CRLF, no line that is a lone dot, the text unchanged', () => {
  fc.assert(
    fc.property(pieces, (text) => {
      const wire = encodeForWire(Buffer.from(text)).content.toString();
      expect(wire).not.toMatch(/\r(?!\n)|(?<!\r)\n/);
      expect(wire.endsWith('\r\n')).toBe(true);
      expect(`\r\n${wire}`).not.toContain('\r\n.\r\n');
      const unstuffed = wire.replace(/^\./gm, '');
      const canonical = text.replace(/\r\n|\r|\n/g, '\r\n');
      expect(unstuffed).toBe(/\r\n$/.test(canonical) ? canonical : `${canonical}\r\n`);
    }),
    { numRuns: 2000 },
  );
});

test('already canonical → the very same bytes, not a copy', () => {
  const message = Buffer.from('a: b\r\n\r\nbody\r\n');
  expect(encodeForWire(message)).toEqual({ content: message, size: message.length, eightBit: false });
  expect(encodeForWire(message).content).toBe(message);
  expect(encodeForWire(Buffer.from('ü\r\n')).eightBit).toBe(true);
});

test('the same text or bytes → the same on the wire', () => {
  fc.assert(
    fc.property(pieces, (text) => {
      const fromText = encodeForWire(text);
      const fromBytes = encodeForWire(Buffer.from(text));
      expect(fromText.content.toString()).toBe(fromBytes.content.toString());
      expect([fromText.size, fromText.eightBit]).toEqual([fromBytes.size, fromBytes.eightBit]);
      if (typeof fromText.content === 'string') expect(fromText.content).toMatch(/^[\x00-\x7f]*$/);
    }),
    { numRuns: 2000 },
  );
});
