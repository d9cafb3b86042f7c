import { expect, test } from 'vitest';
import type { Quotas, RateLimits } from '../../../policy/index.js';
import { cliForTest } from '../cli.fixture.js';

const RESET = new Date('2030-01-01T00:00:00Z');

/** A command line whose limits answer with what they were asked and write it down. */
function withLimits() {
  const asked: unknown[] = [];
  const noted =
    <T>(answer: (input: never) => T) =>
    async (input: unknown): Promise<T> => {
      asked.push(input);
      return answer(input as never);
    };
  const rateLimits = {
    list: noted(() => [
      { type: 'verification', companyId: null, limit: 3, windowSeconds: 3600, source: 'declared' },
      { type: 'welcome', companyId: 'acme', limit: 1, windowSeconds: null, source: 'set' },
    ]),
    set: noted((input: object) => ({ companyId: null, ...input, source: 'set' })),
    remove: noted(() => false),
    check: noted(() => ({ allowed: false, limit: 3, remaining: 0, resetAt: RESET })),
    reset: noted(() => 1),
  } as unknown as RateLimits;
  const quotas = {
    list: noted(() => ({ quotas: [], nextCursor: null })),
    set: noted((input: object) => ({ ...input, used: 7, remaining: 3, resetAt: RESET })),
    remove: noted(() => true),
  } as unknown as Quotas;
  return { ...cliForTest({ application: { limits: async () => ({ rateLimits, quotas }) } }), asked };
}

test('limits list → a line each, with where it comes from', async () => {
  const { run, out } = withLimits();
  expect(await run('limits', 'list')).toBe(0);
  expect(out).toEqual([
    'verification  every company  3 per 1h            declared',
    'welcome       acme           1 once and for all  set',
  ]);
});

test.each([
  ['3/h', { limit: 3, windowSeconds: 3600 }],
  ['1/14d', { limit: 1, windowSeconds: 1_209_600 }],
  ['10/90s', { limit: 10, windowSeconds: 90 }],
  ['once', { limit: 1, windowSeconds: null }],
  ['none', { limit: null, windowSeconds: null }],
])('limits set with %s → asked for as such', async (how, expected) => {
  const { run, asked } = withLimits();
  expect(await run('limits', 'set', 'digest', how, '--company', 'acme')).toBe(0);
  expect(asked).toEqual([{ type: 'digest', companyId: 'acme', ...expected }]);
});

test.each([
  [['limits', 'set', 'digest', 'often']],
  [['limits', 'set', 'digest', '3/w']],
  [['quotas', 'set', 'acme', '10']],
  [['quotas', 'set', 'acme', '10/year']],
])('%j → wrong usage, nothing asked', async (args) => {
  const { run, asked } = withLimits();
  expect(await run(...args)).toBe(2);
  expect(asked).toEqual([]);
});

test('limits check and remove → what was found', async () => {
  const { run, out } = withLimits();
  await run('limits', 'check', 'a@example.com', 'verification');
  await run('limits', 'remove', 'digest');
  expect(out).toEqual(['0 of 3 left, anew 2030-01-01T00:00:00.000Z', 'Nothing was set.']);
});

test('limits check and reset by user and by address → asked for as such', async () => {
  const { run, out, asked } = withLimits();
  await run('limits', 'check', 'u-1', 'welcome', '--user', '--company', 'acme');
  await run('limits', 'reset', 'u-1', 'welcome', '--user');
  await run('limits', 'reset', 'a@example.com', 'digest', '--json');
  expect(asked).toEqual([
    { userId: 'u-1', type: 'welcome', companyId: 'acme' },
    { userId: 'u-1', type: 'welcome', companyId: undefined },
    { address: 'a@example.com', type: 'digest', companyId: undefined },
  ]);
  expect(out.slice(1)).toEqual(['1 counted, and none any more.', '{"counted":1}']);
});

test('quotas set → the quota and what is used of it; list of none → said', async () => {
  const { run, out, asked } = withLimits();
  expect(await run('quotas', 'set', 'acme', '10/day')).toBe(0);
  expect(asked).toEqual([{ companyId: 'acme', period: 'day', limit: 10 }]);
  await run('quotas', 'list');
  await run('quotas', 'remove', 'acme', 'day');
  expect(out).toEqual([
    'acme  10 a day  7 used  anew 2030-01-01T00:00:00.000Z',
    'None.',
    'acme has no quota a day.',
  ]);
});
