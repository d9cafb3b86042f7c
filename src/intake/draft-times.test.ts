import { expect, test } from 'vitest';
import { parseDueTime, parseTimes } from './draft-times.js';

const NOW = Date.UTC(2030, 0, 1);

test.each<[string, { scheduledAt?: unknown; expiresAt?: unknown }, string]>([
  ['time without an offset', { scheduledAt: '2030-01-02T00:00:00' }, 'scheduledAt'],
  ['time that no calendar has', { scheduledAt: '2030-02-30T00:00:00Z' }, 'scheduledAt'],
  ['time as a number', { scheduledAt: NOW }, 'scheduledAt'],
  ['invalid Date', { scheduledAt: new Date(Number.NaN) }, 'scheduledAt'],
  ['scheduled in two years', { scheduledAt: '2032-01-01T00:00:00Z' }, 'scheduledAt'],
  ['expired already', { expiresAt: '2029-12-31T23:59:59Z' }, 'expiresAt'],
  [
    'expired when due',
    { scheduledAt: '2030-03-01T00:00:00Z', expiresAt: '2030-02-01T00:00:00Z' },
    'expiresAt',
  ],
  ['hour 24', { scheduledAt: '2030-01-02T24:00:00Z' }, 'scheduledAt'],
  ['offset without a colon', { scheduledAt: '2030-01-02T00:00:00+0200' }, 'scheduledAt'],
  ['a newline at the end', { scheduledAt: '2030-01-02T00:00:00Z\n' }, 'scheduledAt'],
  ['words', { expiresAt: 'tomorrow' }, 'expiresAt'],
  ['the year 0', { scheduledAt: '0000-01-01T00:00:00Z' }, 'scheduledAt'],
  ['the first time a Date can hold', { scheduledAt: new Date(-8.64e15) }, 'scheduledAt'],
  ['the last time a Date can hold', { expiresAt: new Date(8.64e15) }, 'expiresAt'],
])('%s → refused with its field', (_, { scheduledAt, expiresAt }, field) => {
  expect(() => parseTimes(scheduledAt, expiresAt, NOW)).toThrow(
    expect.objectContaining({ code: 'INVALID_PAYLOAD', field }),
  );
});

test.each([
  ['2030-02-28T09:30:00.5+02:00', '2030-02-28T07:30:00.500Z'],
  ['2030-06-01T00:00Z', '2030-06-01T00:00:00.000Z'],
  ['2028-02-29T12:00:00-05:00', '2028-02-29T17:00:00.000Z'],
  [new Date(NOW), '2030-01-01T00:00:00.000Z'],
])('%s → %s', (input, instant) => {
  expect(parseTimes(input, undefined, NOW).scheduledAt?.toISOString()).toBe(instant);
});

test.each([
  ['an invalid Date', new Date(Number.NaN)],
  ['nothing', undefined],
  ['null', null],
  ['two years ahead', new Date(Date.UTC(2032, 0, 1))],
])('a due time that is %s → refused with its field', (_, input) => {
  expect(() => parseDueTime(input, 'at', NOW)).toThrow(
    expect.objectContaining({ code: 'INVALID_PAYLOAD', field: 'at' }),
  );
});

test('a due time in the past → kept, which is due at once', () => {
  expect(parseDueTime(new Date(NOW - 1000), 'at', NOW)).toEqual(new Date(NOW - 1000));
});
