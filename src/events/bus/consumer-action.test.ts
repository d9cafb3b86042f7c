import { describe, expect, it } from 'vitest';
import { consumerAction } from './consumer-action.js';

describe('what becomes of a message', () => {
  it.each([
    [200, 'ACK'],
    [204, 'ACK'],
    [299, 'ACK'],
    [429, 'DROP'],
    [409, 'DROP'],
    [425, 'REQUEUE'],
    [500, 'DROP'],
    [503, 'DROP'],
    [400, 'DROP'],
    [404, 'DROP'],
    [302, 'DROP'],
    [null, 'DROP'],
  ])('status %s with retries left → %s', (status, action) => {
    expect(consumerAction(status, { retries: 9, maxRetries: 10 })).toBe(action);
  });

  it.each([429, 409, 425, 500, 400, null])('status %s at the tenth retry → dead-letter queue', (status) => {
    expect(consumerAction(status, { retries: 10, maxRetries: 10 })).toBe('DEAD_LETTER');
  });

  it('success at the tenth retry → acknowledged', () => {
    expect(consumerAction(200, { retries: 10, maxRetries: 10 })).toBe('ACK');
  });
});
