import type { Channel } from '../../../amqp/index.js';
import { PostriderError } from '../../../kernel/index.js';
import { type QueueType, typeArgument } from './topology.js';

/**
 * Marks the virtual host as that of one store for as long as a worker of it is there: a queue that nobody writes to,
 * whose dead-letter key names the store, since a broker refuses to have one queue with two of them. It goes ten
 * seconds after the last worker. Refuses a virtual host where a worker of another store is: the two would take each
 * other's bells, and what other services publish would reach whichever was faster.
 */
export const MARK_QUEUE = 'email.store';

const GOES_AFTER_MS = 10_000;

export async function markVhost(
  channel: Channel,
  { store, queueType }: { store: string; queueType: QueueType },
): Promise<void> {
  try {
    await channel.queueDeclare({
      queue: MARK_QUEUE,
      durable: true,
      arguments: {
        'x-expires': GOES_AFTER_MS,
        'x-dead-letter-exchange': '',
        'x-dead-letter-routing-key': `store ${store}`,
        ...typeArgument(queueType),
      },
    });
  } catch (error) {
    if ((error as { code?: string }).code !== 'PRECONDITION_FAILED') throw error;
    throw new PostriderError(
      'BROKER_UNSUITABLE',
      'Workers of another store use this virtual host: every database needs one of its own. Where they were stopped just now, it is free in ten seconds.',
      { cause: error },
    );
  }
  // Nothing comes; a queue that is consumed does not go.
  await channel.basicConsume({ queue: MARK_QUEUE, noAck: true }, () => {});
}
