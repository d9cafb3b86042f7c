import { expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import { createWaitWindow } from './wait-window.js';

test('as many waits as fit → taken, one more → not, until others are over', () => {
  const clock = new ManualClock();
  const waits = createWaitWindow(3, clock);
  expect([5000, 5000, 20_000].map(waits.take)).toEqual([true, true, true]);
  expect(waits.take(5000)).toBe(false);
  clock.advance(4000);
  expect(waits.take(5000)).toBe(false);
  clock.advance(2000);
  expect([5000, 5000].map(waits.take)).toEqual([true, true]);
  expect(waits.take(5000)).toBe(false);
  clock.advance(60_000);
  expect([5000, 5000, 5000, 5000].map(waits.take)).toEqual([true, true, true, false]);
});
