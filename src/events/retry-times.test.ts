import { expect, test } from 'vitest';
import { waitAfter } from './retry-times.js';

test('seven failures → 5 s, 5 m, 30 m, 2 h, 5 h, 10 h, 10 h; the eighth ends it', () => {
  const seconds = [1, 2, 3, 4, 5, 6, 7].map((failures) => waitAfter(failures, () => 0.5)! / 1000);
  expect(seconds).toEqual([5, 300, 1800, 7200, 18_000, 36_000, 36_000]);
  expect(waitAfter(8, () => 0.5)).toBeNull();
});

test('jitter → within a tenth to either side', () => {
  expect(waitAfter(1, () => 0)).toBe(4500);
  expect(waitAfter(1, () => 1)).toBe(5500);
});
