import { expect, test } from 'vitest';
import { type HeaderValue, MessageHeaders } from './message-headers.js';

test.each<[string, HeaderValue]>([
  ['a text', 'ä'],
  ['a number', 7],
  ['a negative number', -1],
  ['a fraction', 0.5],
  ['more than a number can be', 2n ** 62n],
  ['yes', true],
  ['nothing', null],
  ['bytes', Buffer.from([0, 255])],
  ['a list of tables', [{ count: 1, 'routing-keys': ['a', 'b'] }, 'x']],
])('%s → written and read back', (_, value) => {
  expect(MessageHeaders.read(MessageHeaders.of({ value }).write()).values()).toEqual({ value });
});

test('a name of the prototype → a header like any other', () => {
  const values = MessageHeaders.of({ constructor: 1, ['__proto__']: 2 }).values();
  expect(Object.hasOwn(values, '__proto__')).toBe(true);
  expect(Object.getPrototypeOf(values)).toBe(Object.prototype);
});

test('tables nested deeper than is followed → left out, and written again as they came', () => {
  const deep = tables(20_000);
  const headers = MessageHeaders.read(deep);
  expect(JSON.stringify(headers.values())).toBe(`{"":${'{"":'.repeat(7)}{}${'}'.repeat(8)}`);
  expect(headers.write().equals(deep)).toBe(true);
});

test('set, without and rename → the others stay as they came, in their order', () => {
  const odd = Buffer.concat([Buffer.from('\u0003oddf', 'latin1'), Buffer.from([0x7f, 0xc0, 0, 1])]);
  const headers = MessageHeaders.read(Buffer.concat([MessageHeaders.of({ a: 1, CC: ['q'] }).write(), odd]));
  const changed = headers.set({ a: undefined, b: 2 }).rename({ CC: 'was' });
  expect(Object.keys(changed.values())).toEqual(['was', 'odd', 'b']);
  expect(
    changed
      .without((name) => name !== 'odd')
      .write()
      .equals(odd),
  ).toBe(true);
});

test('sixty thousand headers → read, changed and cut in the time of a blink', () => {
  const many = Buffer.alloc(120_000, Buffer.from([0, 0x56]));
  const before = process.cpuUsage();
  const { headers, dropped } = MessageHeaders.read(many)
    .set({ mine: 1 })
    .fitting(1000, (name) => name === 'mine');
  expect(headers.number('mine')).toBe(1);
  expect(dropped.length).toBeGreaterThan(59_000);
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
});

test.each([
  ['a type that is none', Buffer.from('\u0001aZ', 'latin1')],
  ['a text beyond its end', Buffer.from('\u0001aS\u0000\u0000\u0000\u00ff', 'latin1')],
])('%s → refused', (_, table) => {
  expect(() => MessageHeaders.read(table)).toThrow(RangeError);
});

/** Each holds the next under an empty name. */
function tables(depth: number): Buffer {
  const bytes = Buffer.alloc(depth * 6);
  for (let level = 0; level < depth; level++) {
    bytes.write('F', level * 6 + 1, 'latin1');
    bytes.writeUInt32BE((depth - level - 1) * 6, level * 6 + 2);
  }
  return bytes;
}
