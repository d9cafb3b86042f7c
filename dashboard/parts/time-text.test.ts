import { expect, test } from 'vitest';
import { ago } from './time-text.js';

const NOW = Date.UTC(2026, 5, 15, 12);

test.each([
  [500, 'now'],
  [-30_000, '30 sec. ago'],
  [-5 * 60_000, '5 min. ago'],
  [3 * 3_600_000, 'in 3 hr.'],
  [-86_400_000, 'yesterday'],
])('%i ms from now → %s', (distance, said) => {
  expect(ago(NOW + distance, NOW)).toBe(said);
});

test('months away → the day itself', () => {
  expect(ago(Date.UTC(2025, 0, 5, 12), NOW)).toContain('2025');
});
