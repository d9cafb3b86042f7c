import { describe, expect, it } from 'vitest';
import { busNames } from './bus-names.js';

describe('names of a service on the bus', () => {
  it.each([
    ['wms-cincout', 'wms'],
    ['xyz-service', 'xyz'],
    ['a-b-c', 'a'],
    ['noprefix', 'default'],
  ])('%s → prefix %s', (service, prefix) => {
    expect(busNames(service)).toEqual({
      prefix,
      mainExchange: `${prefix}.main-exchange`,
      queue: `${prefix}.queue.${service}`,
      retryExchange: `${prefix}.retry-exchange.${service}`,
      retryQueue: `${prefix}.retry-queue.${service}`,
      delayQueue: `${prefix}.delay-queue.${service}`,
      deadLetterQueue: `${prefix}.dlq.${service}`,
    });
  });

  it.each(['', '-x', 'with space', 'amq-x', 'ä-b', `a${'b'.repeat(100)}`, 'x\n'])(
    '%j → refused',
    (service) => {
      expect(() => busNames(service)).toThrow(/service must be/);
    },
  );
});
