import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type HeaderValue, MessageProperties } from '../../../amqp/index.js';
import { ManualClock, silentLogger } from '../../../kernel/index.js';
import type { ForeignAnswer } from '../../foreign-message.js';
import type { Delivery } from './rabbit-consumer.js';
import type { Move } from './rabbit-publisher.js';
import { createForeignReceiver } from './receive-foreign.js';

/** A broker may throw away what is given back to it too often, so what has to wait is kept. */
beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const AWAY: ForeignAnswer = { kind: 'later', message: 'the store is away' };

interface Taken {
  headers: Record<string, HeaderValue>;
  body: Buffer;
  redelivered: boolean;
}

function open(answers: Array<ForeignAnswer | Error>, queueType: 'classic' | 'quorum' = 'quorum') {
  const asked: string[] = [];
  const moved: Array<Move & { body: Buffer }> = [];
  const refusals: Error[] = [];
  const fulls: boolean[] = [];
  const channel = { active: true, basicAck: vi.fn(), basicNack: vi.fn() };
  const receiver = createForeignReceiver({
    receive: async ({ messageId }) => {
      asked.push(messageId!);
      const answer = answers.shift() ?? { kind: 'done' };
      if (answer instanceof Error) throw answer;
      return answer;
    },
    publisher: {
      async move({ body }, move) {
        const refusal = refusals.shift();
        if (refusal) throw refusal;
        moved.push({ ...move, body });
      },
    },
    queueType,
    onFull: (full) => void fulls.push(full),
    clock: new ManualClock(),
    logger: silentLogger,
  });
  return {
    ...{ asked, moved, refusals, fulls, channel, receiver },
    take: (
      messageId: string,
      { headers = {}, body = Buffer.from('{}'), redelivered = false }: Partial<Taken> = {},
    ) =>
      receiver.take(
        { deliveryTag: 1, redelivered, properties: MessageProperties.of({ messageId, headers }), body },
        { channel, tag: 1 } as unknown as Delivery,
      ),
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
  const { asked, moved, channel, take } = open(Array.from({ length: 50 }, () => fault));
  take('poison');
  await vi.advanceTimersByTimeAsync(30_000);
  expect(asked).toHaveLength(5);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(asked).toHaveLength(10);
  expect(moved).toMatchObject([
    {
      ...{ messageId: 'poison', queue: 'email.deadLetter.queue' },
      headers: {
        ...{ 'x-error-code': 'INTERNAL', 'x-error-message': 'no such function' },
        'x-error-stack': 'Error: no\n    at here',
      },
    },
  ]);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('the store is away between two faults → the wait for it does not count', async () => {
  const fault: ForeignAnswer = { kind: 'later', message: 'odd', code: 'INTERNAL' };
  const { moved, channel, take } = open([fault, ...Array.from({ length: 30 }, () => AWAY), fault]);
  take('one');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(moved).toEqual([]);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('delivered ten times by a queue that counts → a dead letter, unread: its worker died of it each time', async () => {
  const { asked, moved, take } = open([]);
  take('deadly', { headers: { 'x-delivery-count': 10 }, redelivered: true });
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual([]);
  expect(moved).toMatchObject([{ headers: { 'x-error-code': 'DELIVERED_TOO_OFTEN' } }]);
});

it.each([
  ['on a classic queue, which does not count', 'classic', true],
  ['at its first delivery, before the queue has counted', 'quorum', false],
] as const)('a delivery count of the publisher %s → not believed', async (_, queueType, redelivered) => {
  const { asked, take } = open([], queueType);
  take('forged', { headers: { 'x-delivery-count': 1000 }, redelivered });
  await vi.advanceTimersByTimeAsync(10);
  expect(asked).toEqual(['forged']);
});

it('the dead-letter queue takes nothing → judged once, moved at ever longer waits, and acknowledged then', async () => {
  const { asked, moved, refusals, channel, take } = open([{ kind: 'refused', code: 'C', message: 'm' }]);
  refusals.push(...Array.from({ length: 5 }, () => new Error('no such queue')));
  take('refused');
  await vi.advanceTimersByTimeAsync(14_000);
  expect(moved).toEqual([]);
  expect(channel.basicAck).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(20_000);
  expect(asked).toEqual(['refused']);
  expect(moved).toHaveLength(1);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('judging throws → it waits and is refused in the end; nothing is thrown', async () => {
  const { moved, channel, take } = open(Array.from({ length: 20 }, () => new RangeError('stack')));
  take('odd');
  await vi.advanceTimersByTimeAsync(600_000);
  expect(moved).toMatchObject([{ headers: { 'x-error-code': 'INTERNAL', 'x-error-message': 'stack' } }]);
  expect(channel.basicAck).toHaveBeenCalledTimes(1);
});

it('more bytes in hand than may be → says so once, and again when half of them are gone', async () => {
  const { fulls, take } = open(Array.from({ length: 3 }, () => AWAY));
  const large = Buffer.alloc(7 * 1024 * 1024);
  for (const name of ['one', 'two']) take(name, { body: large });
  expect(fulls).toEqual([]);
  take('three', { body: large });
  expect(fulls).toEqual([true]);
  await vi.advanceTimersByTimeAsync(500);
  expect(fulls).toEqual([true]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(fulls).toEqual([true, false]);
});
