import { expect, test } from 'vitest';
import { ByteCollector } from './byte-collector.js';

const bytes = Buffer.from(Array.from({ length: 200_000 }, (_, at) => (at * 31) % 251));

test.each([
  ['byte by byte, nothing announced', 1, null],
  ['byte by byte, announced', 1, bytes.length],
  ['in odd pieces', 999, null],
  ['in odd pieces, announced', 999, bytes.length],
  ['in large pieces', 65_536, null],
  ['in large pieces, announced', 65_536, bytes.length],
  ['whole', bytes.length, bytes.length],
  ['more than was announced', 999, 1000],
  ['less than was announced', 999, bytes.length * 2],
] as const)('%s → the same bytes in their order', (_case, step, announced) => {
  const collector = new ByteCollector(announced);
  for (let at = 0; at < bytes.length; at += step) collector.add(bytes.subarray(at, at + step));
  expect(collector.length).toBe(bytes.length);
  expect(collector.bytes().equals(bytes)).toBe(true);
});

test('nothing at all → no bytes', () => {
  expect(new ByteCollector().bytes()).toHaveLength(0);
});

test('a body sent byte by byte → is held in few buffers', () => {
  const collector = new ByteCollector();
  for (const byte of bytes) collector.add(Buffer.of(byte));
  expect((Reflect.get(collector, 'full') as Buffer[]).length).toBeLessThan(20);
});
