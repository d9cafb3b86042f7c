import { expect, test } from 'vitest';
import { giveBack, takeBuffer } from './spare-buffers.js';

test('a large one given back → the next that fits is made of it, and only one', () => {
  const first = takeBuffer(200_000);
  giveBack(first);
  const second = takeBuffer(210_000);
  const third = takeBuffer(210_000);
  expect(second.buffer).toBe(first.buffer);
  expect(second).toHaveLength(210_000);
  expect(third.buffer).not.toBe(first.buffer);
});

test('given back twice → handed out once', () => {
  const buffer = takeBuffer(100_000);
  giveBack(buffer);
  giveBack(buffer);
  expect(takeBuffer(100_000).buffer).not.toBe(takeBuffer(100_000).buffer);
});

test('short and very large ones → not kept, and those that are stay', () => {
  const large = takeBuffer(300_000);
  giveBack(large);
  for (let count = 0; count < 20; count++) giveBack(takeBuffer(1000));
  giveBack(takeBuffer(5_000_000));
  expect(takeBuffer(300_000).buffer).toBe(large.buffer);
  expect(takeBuffer(3_000_000)).toHaveLength(3_000_000);
});

test('many given back → six are kept', () => {
  const all = Array.from({ length: 10 }, () => takeBuffer(400_000));
  for (const each of all) giveBack(each);
  const known = new Set(all.map(({ buffer }) => buffer));
  const again = Array.from({ length: 10 }, () => takeBuffer(400_000));
  expect(again.filter(({ buffer }) => known.has(buffer))).toHaveLength(6);
});

test('a little of a very large one → not kept', () => {
  const large = takeBuffer(20_000_000);
  giveBack(large.subarray(0, 100_000));
  expect(takeBuffer(100_000).buffer === large.buffer).toBe(false);
});
