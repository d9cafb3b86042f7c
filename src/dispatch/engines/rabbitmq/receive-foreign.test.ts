import type { AsyncMessage } from 'rabbitmq-client';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ManualClock, silentLogger } from '../../../kernel/index.js';
import type { ForeignAnswer } from '../../foreign-message.js';
import type { Delivery } from './rabbit-consumer.js';
import type { OutgoingMessage } from './rabbit-publisher.js';
import { createForeignReceiver } from './receive-foreign.js';

/** A broker may throw away what is given back to it too often, so what has to wait is kept. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AWAY: ForeignAnswer = { kind: 'later', message: 'the store is away' };

function open(answers: ForeignAnswer[]) {
  const asked: string[] = [];
  const published: OutgoingMessage[] = [];
  const fulls: boolean[] = [];
  const channel = { active: true, basicAck: vi.fn(), basicNack: vi.fn() };
  const receiver = createForeignReceiver({
    receive: async ({ messageId }) => {
      asked.push(messageId!);
      return answers.shift() ?? { kind: 'done' };
    },
    publisher: { publish: async (messages) => void published.push(...messages) },
    onFull: (full) => void fulls.push(full),
    clock: new ManualClock(),
    logger: silentLogger,
  });
  return {
    ...{ asked, published, fulls, channel, receiver },
    take: (messageId: string, headers = {}, body: unknown = {}) =>
      receiver.take({ messageId, body, headers } as AsyncMessage, { channel, tag: 1 } as unknown as Delivery),
  };
}

it('the store is away for a minute → a message is asked about again and again, and never given back', async () => {
  const { asked, channel, take } = open(Array.from({ length: 60 }, () => AWAY));
  take('one');
  await vi.advanceTimersByTimeAsync(61_000);
  expect(asked).toHaveLength(61);
  expect(channel.basicNack).not.toHaveBeenCalled();
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('many have to wait → others are asked about in between', async () => {
  const { asked, take } = open(Array.from({ length: 8 }, () => AWAY));
  for (let number = 0; number < 8; number++) take('waits');
  take('other');
  await vi.advanceTimersByTimeAsync(1001);
  expect(asked.slice(8)).toContain('other');
});

it('stopped while one waits → given back at once', async () => {
  const { channel, receiver, take } = open([AWAY]);
  take('one');
  await vi.advanceTimersByTimeAsync(10);
  await receiver.stop();
  expect(channel.basicNack).toHaveBeenCalledWith({ deliveryTag: 1, requeue: true });
});

it('its channel is lost while it waits → not asked about again, for it is delivered again', async () => {
  const { asked, channel, take } = open([AWAY]);
  take('one');
  await vi.advanceTimersByTimeAsync(10);
  channel.active = false;
  await vi.advanceTimersByTimeAsync(5000);
  expect(asked).toEqual(['one']);
});

it('a fault of ours with each try → ten tries, ever further apart, then a dead letter with the reason', async () => {
  const fault: ForeignAnswer = {
    ...{ kind: 'later', message: 'no such function', code: 'INTERNAL', stack: 'Error: no\n    at here' },
  };
  const { asked, published, channel, take } = open(Array.from({ length: 50 }, () => fault));
  take('poison');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(10);
  expect(published).toMatchObject([
    {
      messageId: 'poison',
      to: { queue: 'email.deadLetter.queue' },
      properties: {
        headers: {
          ...{ 'x-error-code': 'INTERNAL', 'x-error-message': 'no such function' },
          'x-error-stack': 'Error: no\n    at here',
        },
      },
    },
  ]);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('the store is away between two faults → the wait for it does not count', async () => {
  const fault: ForeignAnswer = { kind: 'later', message: 'odd', code: 'INTERNAL' };
  const { published, channel, take } = open([fault, ...Array.from({ length: 30 }, () => AWAY), fault]);
  take('one');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(published).toEqual([]);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('delivered ten times by a queue that counts → a dead letter, unread: its worker died of it each time', async () => {
  const { asked, published, take } = open([]);
  take('deadly', { 'x-delivery-count': 10 });
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([]);
  expect(published).toMatchObject([{ properties: { headers: { 'x-error-code': 'DELIVERED_TOO_OFTEN' } } }]);
});

it('more bytes in hand than may be → says so once, and again when half of them are gone', async () => {
  const { fulls, take } = open(Array.from({ length: 3 }, () => AWAY));
  const large = Buffer.alloc(7 * 1024 * 1024);
  for (const name of ['one', 'two']) take(name, {}, large);
  expect(fulls).toEqual([]);
  take('three', {}, large);
  expect(fulls).toEqual([true]);
  await vi.advanceTimersByTimeAsync(500);
  expect(fulls).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(fulls).toEqual([true, false]);
});
