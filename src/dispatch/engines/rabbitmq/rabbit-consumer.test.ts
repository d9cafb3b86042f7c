import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Connection } from '../../../amqp/index.js';
import { silentLogger } from '../../../kernel/index.js';
import { createRabbitConsumer } from './rabbit-consumer.js';
import { SEND_QUEUE } from './topology.js';

/** As the client hands over a message without properties. */
const RAW = { deliveryTag: 1, headers: { raw: Buffer.alloc(2) }, body: Buffer.alloc(0) };

/** What a real broker shows only by chance; the rest is in the contract of the broker. */
test('held by the first message, before its channel counts as set up → consumes no more until let go', async () => {
  const calls: string[] = [];
  const channel = Object.assign(new EventEmitter(), {
    active: true,
    exchangeDeclare: async () => {},
    queueDeclare: async () => ({ messageCount: 1 }),
    queueBind: async () => {},
    basicQos: async () => {},
    async basicConsume({ queue }: { queue: string }, onMessage: (message: object) => void) {
      if (queue !== SEND_QUEUE) return { consumerTag: queue };
      calls.push('consume');
      if (calls.length === 1) onMessage(RAW);
      return { consumerTag: 'bells' };
    },
    basicCancel: async (tag: string) => void calls.push(`cancel ${tag}`),
    async close() {
      channel.emit('close');
    },
  });
  const onMessage = vi.fn(() => consumer.hold(true));
  const consumer = createRabbitConsumer({
    connection: { acquire: async () => channel } as unknown as Connection,
    ...{ queueType: 'classic', prefetch: 10, store: 'one', onMessage },
    ...{ onFound() {}, onChange() {}, logger: silentLogger },
  });
  onTestFinished(() => consumer.stop());
  await vi.waitFor(() => expect(calls).toEqual(['consume', 'cancel bells']), 20_000);
  consumer.hold(false);
  await vi.waitFor(() => expect(calls).toEqual(['consume', 'cancel bells', 'consume']), 20_000);
  expect(onMessage).toHaveBeenCalledTimes(1);
}, 60_000);
