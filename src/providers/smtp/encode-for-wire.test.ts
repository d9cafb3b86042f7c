import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeForWire } from './encode-for-wire.js';

const texts = fc.array(fc.constantFrom('\r', '\n', '\r\n', '.', '..', 'a', 'text', 'ü', ''), {
  maxLength: 40,
});
const pieces = texts.map((all) => all.join(''));

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
  expect(encodeForWire(message)).toEqual({
    content: message,
    size: message.length,
    room: null,
    eightBit: false,
  });
  expect(encodeForWire(message).content).toBe(message);
  expect(encodeForWire(Buffer.from('ü\r\n')).eightBit).toBe(true);
});

test('the same in texts or bytes → the same on the wire', () => {
  fc.assert(
    fc.property(texts, (all) => {
      const fromTexts = encodeForWire(all);
      const fromBytes = encodeForWire(Buffer.from(all.join('')));
      expect(fromTexts.content.toString()).toBe(fromBytes.content.toString());
      expect([fromTexts.size, fromTexts.eightBit]).toEqual([fromBytes.size, fromBytes.eightBit]);
    }),
    { numRuns: 5000 },
  );
});

test('texts with LF for line ends → CRLF in the room, and a dot that begins a line doubled', () => {
  const { content, room } = encodeForWire(['a: b\r\n\r\n', '.one\n..\n\nlast', '\r\n--\r\n']);
  expect(content.toString()).toBe('a: b\r\n\r\n..one\r\n...\r\n\r\nlast\r\n--\r\n');
  expect(room).not.toBeNull();
});

test('texts in ASCII → room behind them, which is nobody else’s', () => {
  const first = encodeForWire(['a: b\r\n\r\n', 'body', '\r\n']);
  const second = encodeForWire(['c: d\r\n\r\n', 'other\r\n']);
  first.room!.fill('x', first.size);
  expect(first.content.toString()).toBe('a: b\r\n\r\nbody\r\n');
  expect(second.content.toString()).toBe('c: d\r\n\r\nother\r\n');
  expect(encodeForWire(['a: ü\r\n']).room).toBeNull();
  expect(encodeForWire(['a: b\r\n', 'a\rb\r\n']).room).toBeNull();
});
