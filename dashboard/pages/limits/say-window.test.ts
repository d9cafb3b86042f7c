import { expect, test } from 'vitest';
import { sayWindow, secondsOf, unitOf } from './say-window.js';

test.each([
  [null, 'ever'],
  [1, 'per second'],
  [90, 'per 90 seconds'],
  [300, 'per 5 minutes'],
  [3_600, 'per hour'],
  [172_800, 'per 2 days'],
])('%s seconds → %s', (seconds, said) => {
  expect(sayWindow(seconds)).toBe(said);
});

test('a count and a unit → seconds, and back to the largest unit that fits', () => {
  expect(secondsOf(2, 'hours')).toBe(7_200);
  expect(unitOf(7_200).name).toBe('hours');
  expect(secondsOf(2, 'ever')).toBeNull();
  expect(secondsOf('two', 'hours')).toBe('two');
});
