import type { Channel } from '../../../amqp/index.js';
import { messageOf, PostriderError } from '../../../kernel/index.js';

/**
 * The exchange and queues: emails to send, three queues to wait in, and the dead letters. A wait ends by the
 * queue's TTL, which sends the message back through the exchange. Everything is durable. A queue that exists
 * with other arguments is refused by name: deleting it is for a person to decide.
 */
export const EXCHANGE = 'EmailExchange';
export const ROUTING_KEY = 'email.send';
export const SEND_QUEUE = 'email.send.queue';
export const DEAD_LETTER_QUEUE = 'email.deadLetter.queue';

export const WAIT_QUEUES: ReadonlyArray<{ queue: string; waitMs: number }> = [
  { queue: 'email.send.wait.5s', waitMs: 5000 },
  { queue: 'email.send.wait.10s', waitMs: 10_000 },
  { queue: 'email.send.wait.20s', waitMs: 20_000 },
];

export type QueueType = 'classic' | 'quorum';

/** What is in the queues, without what is delivered and not acknowledged. */
export interface QueuedBells {
  toSend: number;
  waiting: number;
}

export async function declareTopology(channel: Channel, type: QueueType): Promise<QueuedBells> {
  const found = { toSend: 0, waiting: 0 };
  await declare(EXCHANGE, () =>
    channel.exchangeDeclare({ exchange: EXCHANGE, type: 'direct', durable: true }),
  );
  for (const { queue, arguments: more } of queues()) {
    const { messageCount } = await declareQueue(channel, { queue, type, arguments: more });
    if (queue === SEND_QUEUE) found.toSend += messageCount;
    else if (queue !== DEAD_LETTER_QUEUE) found.waiting += messageCount;
  }
  await channel.queueBind({ exchange: EXCHANGE, queue: SEND_QUEUE, routingKey: ROUTING_KEY });
  return found;
}

export function declareQueue(
  channel: Channel,
  declared: { queue: string; type: QueueType; arguments?: Record<string, string | number> },
) {
  const { queue, type, arguments: more } = declared;
  return declare(queue, () =>
    channel.queueDeclare({ queue, durable: true, arguments: { ...more, ...typeArgument(type) } }),
  );
}

/** A classic queue says nothing of its type, so that it equals one that was declared without. */
export function typeArgument(type: QueueType): Record<string, string> {
  return type === 'quorum' ? { 'x-queue-type': 'quorum' } : {};
}

export function waitQueueOf(waitMs: number): string | null {
  return WAIT_QUEUES.find((wait) => wait.waitMs === waitMs)?.queue ?? null;
}

function queues(): Array<{ queue: string; arguments: Record<string, string | number> }> {
  return [
    { queue: SEND_QUEUE, arguments: {} },
    ...WAIT_QUEUES.map(({ queue, waitMs }) => ({
      queue,
      arguments: {
        'x-message-ttl': waitMs,
        'x-dead-letter-exchange': EXCHANGE,
        'x-dead-letter-routing-key': ROUTING_KEY,
      },
    })),
    { queue: DEAD_LETTER_QUEUE, arguments: {} },
  ];
}

async function declare<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if ((error as { code?: string }).code !== 'PRECONDITION_FAILED') throw error;
    throw new PostriderError(
      'BROKER_UNSUITABLE',
      `${name} exists on the broker and differs from what Postrider declares: ${messageOf(error)}`,
      { cause: error },
    );
  }
}
