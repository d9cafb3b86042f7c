import { expect, test } from 'vitest';
import { parseScheduledAt } from './scheduled-at.js';

/** A Wednesday. */
const NOW = Date.parse('2030-05-15T10:20:30.000Z');

test.each([
  ['2030-06-01T09:00:00Z', '2030-06-01T09:00:00.000Z'],
  ['2030-06-01T09:00:00.123456+02:00', '2030-06-01T07:00:00.123Z'],
  ['2030-06-01 09:00:00+00', '2030-06-01T09:00:00.000Z'],
  ['2030-06-01 09:00:00+0200', '2030-06-01T07:00:00.000Z'],
  ['2030-06-01T09:00', '2030-06-01T09:00:00.000Z'],
  ['2030-06-01', '2030-06-01T00:00:00.000Z'],
  ['in 1 min', '2030-05-15T10:21:30.000Z'],
  ['In 90 Seconds', '2030-05-15T10:22:00.000Z'],
  ['in an hour', '2030-05-15T11:20:30.000Z'],
  ['in 2 days', '2030-05-17T10:20:30.000Z'],
  ['in 3 weeks', '2030-06-05T10:20:30.000Z'],
  ['tomorrow at 9am', '2030-05-16T09:00:00.000Z'],
  ['tomorrow', '2030-05-16T10:20:30.000Z'],
  ['today at 23:30', '2030-05-15T23:30:00.000Z'],
  ['friday at 12pm', '2030-05-17T12:00:00.000Z'],
  ['next wednesday at 12 am', '2030-05-22T00:00:00.000Z'],
])('%s → %s', (said, at) => {
  expect(parseScheduledAt(said, NOW)).toBe(at);
});

test.each([
  ['soon'],
  ['in 60 weeks'],
  ['2032-01-01T00:00:00Z'],
  ['in a while'],
  ['tomorrow at 25:00'],
  ['tomorrow at 13pm'],
  ['2030-13-01T00:00:00Z'],
  ['in 1 min; in 2 min'],
  [''],
  [7],
  [null],
])('%j → refused with its field', (said) => {
  expect(() => parseScheduledAt(said, NOW)).toThrow(expect.objectContaining({ field: 'scheduled_at' }));
});
