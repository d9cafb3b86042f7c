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

test('short and very large ones → not kept', () => {
  const short = takeBuffer(1000);
  const huge = takeBuffer(5_000_000);
  giveBack(short);
  giveBack(huge);
  expect(takeBuffer(900_000).buffer).not.toBe(huge.buffer);
  expect(takeBuffer(70_000).buffer).not.toBe(short.buffer);
});
