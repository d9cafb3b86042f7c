import { expect, test, vi } from 'vitest';
import { MessageProperties, type RawMessage, UnroutableError } from '../../amqp/index.js';
import { ManualClock } from '../../kernel/index.js';
import { createPatientMover, TooSoonError } from './move-message.js';

const MESSAGE: RawMessage = {
  ...{ deliveryTag: 1, redelivered: false, properties: MessageProperties.none, body: Buffer.alloc(0) },
};

function open(results: Array<Error | null>) {
  const clock = new ManualClock();
  const move = vi.fn(async () => {
    const result = results.shift();
    if (result) throw result;
  });
  const declare = vi.fn(async () => {});
  const mover = createPatientMover({ move, close: async () => {} }, { clock, declare });
  return { clock, move, declare, mover, go: () => mover.move(MESSAGE, 'q', {}) };
}

test('moves fail → tried at ever longer waits and no more often than once a minute, until one succeeds', async () => {
  const { clock, move, mover, go } = open(Array.from({ length: 10 }, () => new Error('full')));
  const triedAt: number[] = [];
  for (let second = 0; second < 500; second++, clock.advance(1000)) {
    const before = move.mock.calls.length;
    await go().catch(() => null);
    if (move.mock.calls.length > before) triedAt.push(second);
  }
  expect(triedAt.slice(0, 11)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243, 303]);
  expect(mover.trouble()).toBeNull();
});

test('many at once after a failure → one of them is tried', async () => {
  const { clock, move, go, mover } = open([new Error('full'), new Error('full')]);
  await expect(go()).rejects.toThrow('full');
  expect(mover.trouble()).toBe('full');
  clock.advance(1000);
  const results = await Promise.allSettled(Array.from({ length: 12 }, go));
  expect(move).toHaveBeenCalledTimes(2);
  const tooSoon = results.filter((one) => one.status === 'rejected' && one.reason instanceof TooSoonError);
  expect(tooSoon).toHaveLength(11);
});

test('its queue is gone → declared again', async () => {
  const { declare, go } = open([new UnroutableError('no queue')]);
  await expect(go()).rejects.toThrow('no queue');
  expect(declare).toHaveBeenCalledTimes(1);
});
