import { describe, expect, it } from 'vitest';
import { countRetries } from './retry-count.js';

const death = (count: number, { queue = 'q', reason = 'rejected', time = 100 } = {}) => ({
  ...{ count, queue, reason, time, exchange: 'e', 'routing-keys': ['retry'] },
});

describe('retries of a message', () => {
  it('never rejected → none', () => {
    expect(countRetries({}, 'q')).toBe(0);
    expect(countRetries({ 'x-death': 'nonsense', 'x-final-retry-count': 'many' }, 'q')).toBe(0);
  });

  it('rejected and expired in turn → the rejections of this queue alone', () => {
    const history = [death(4, { queue: 'wait', reason: 'expired' }), death(4), death(9, { queue: 'other' })];
    expect(countRetries({ 'x-death': history }, 'q')).toBe(4);
  });

  it.each([
    ['before', [death(9, { queue: 'other' }), death(4)]],
    [
      'before, and its queue waited for, too',
      [death(9, { queue: 'other' }), death(4, { reason: 'expired' }), death(4)],
    ],
    ['after', [death(4), death(9, { queue: 'other' })]],
    [
      'with the same name but for its end',
      [death(9, { queue: 'q.other' }), death(9, { queue: '' }), death(4)],
    ],
  ])('the history of another queue %s → not counted', (_, history) => {
    expect(countRetries({ 'x-death': history }, 'q')).toBe(4);
    expect(countRetries({ 'x-death': history }, 'none')).toBe(0);
  });

  const final = { 'x-final-retry-count': 10, 'x-final-deaths': { count: 10, since: 100 } };

  it.each([
    ['a broker that counts on in it', [death(10)], 10],
    ['a broker that counts on in it, two retries later', [death(12)], 12],
    ['a broker that ignores it', [], 10],
    ['a broker that ignores it, two retries later', [death(2, { time: 200 })], 12],
    ['a broker that ignores it, as many retries later as before', [death(10, { time: 200 })], 20],
  ])('moved back, on %s → counted on, nothing twice', (_, deaths, retries) => {
    expect(countRetries({ ...final, 'x-death': deaths }, 'q')).toBe(retries);
  });

  it.each([
    ['counts on', [death(11)], 11],
    ['ignores', [death(1)], 11],
    ['ignores and hides', [], 10],
  ])(
    'moved back by other hands without our mark, on a broker that %s it → counted on',
    (_, deaths, retries) => {
      expect(countRetries({ 'x-final-retry-count': 10, 'x-death': deaths }, 'q')).toBe(retries);
    },
  );

  it('moved back a second time on a broker that began anew → what it counted since is not added again', () => {
    const headers = { 'x-final-retry-count': 12, 'x-final-deaths': { count: 2, since: 200 } };
    expect(countRetries({ ...headers, 'x-death': [death(2, { time: 200 })] }, 'q')).toBe(12);
    expect(countRetries(headers, 'q')).toBe(12);
    expect(countRetries({ ...headers, 'x-death': [death(1, { time: 300 })] }, 'q')).toBe(13);
  });

  it.each([-1_000_000, 2n ** 62n, 'many', null])('a forged count of %s → no round without end', (count) => {
    expect(countRetries({ 'x-death': [{ ...death(1), count }] }, 'q')).toBeGreaterThan(1000);
  });
});
