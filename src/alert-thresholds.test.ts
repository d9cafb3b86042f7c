import { expect, test } from 'vitest';
import { least, limitOf, namesWith } from './alerts/alert-defaults.js';
import { checkConfig, loadConfig } from './config.js';

const alerts = (env: Record<string, string>) => loadConfig({ env, file: null }).alerts;

test('thresholds of tenants and types → in the place of the general ones, the smaller of the two', () => {
  const thresholds = alerts({
    POSTRIDER_ALERT_TENANTS: '{"acme":{"waitingMs":"5m","failurePercent":10}}',
    POSTRIDER_ALERT_TYPES: '{"sign_in_code":{"lateMs":"30s","waitingMs":60000}}',
  });
  expect(limitOf(thresholds, 'lateMs', { type: 'sign_in_code' })).toBe(30_000);
  expect(limitOf(thresholds, 'waitingMs', { tenant: 'acme', type: 'sign_in_code' })).toBe(60_000);
  expect(limitOf(thresholds, 'waitingMs', { tenant: 'acme' })).toBe(300_000);
  expect(limitOf(thresholds, 'failurePercent', { tenant: 'acme' })).toBe(10);
  expect(limitOf(thresholds, 'failurePercent', { tenant: 'constructor' })).toBe(5);
  expect(least(thresholds, 'waitingMs', 'bulkWaitingMs')).toBe(60_000);
  expect(namesWith(thresholds, 'tenants', 'waitingMs', 'rateMinimum')).toEqual(['acme']);
});

test.each([
  ['an unknown threshold', '{"acme":{"failurePercnt":10}}', /did you mean failurePercent/],
  ['a value out of range', '{"acme":{"failurePercent":101}}', /a whole number from 0 to 100/],
  ['one that tenants do not have', '{"acme":{"lateMs":"30s"}}', /has no lateMs for acme/],
  ['a list', '["acme"]', /must be an object of names/],
  ['text that is no JSON', '{acme}', /as JSON/],
])('%s → refused with the reason', (_, written, reason) => {
  const check = checkConfig({ env: { POSTRIDER_ALERT_TENANTS: written }, file: null });
  if (check.ok) throw new Error('it was taken');
  expect(check.problems[0]!.message).toMatch(reason);
});
