import type { Channel, Connection } from '../../amqp/index.js';
import { messageOf, PostriderError } from '../../kernel/index.js';
import type { BusNames } from './bus-names.js';

/**
 * The exchanges and queues of one service. What is there with other arguments is left as it is and refused with
 * BUS_TOPOLOGY_DIFFERS, since a message dead-lettered to the wrong place would be gone.
 */
export const RETRY_KEY = 'retry';

export interface QueueDeclaration {
  queue: string;
  durable: true;
  arguments: Record<string, unknown>;
}

/** Dead-lettered into the retry exchange. */
export function mainQueue(names: BusNames): QueueDeclaration {
  return {
    queue: names.queue,
    durable: true,
    arguments: {
      'x-queue-type': 'classic',
      'x-dead-letter-exchange': names.retryExchange,
      'x-dead-letter-routing-key': RETRY_KEY,
    },
  };
}

/** Holds a message for the wait and gives it back to the one queue it came from, through the default exchange. */
export function retryQueue(names: BusNames, retryDelayMs: number): QueueDeclaration {
  return waitingQueue(names, names.retryQueue, retryDelayMs);
}

/**
 * Holds events that are due later, for one round; those that are still not due are put here again. One wait for all:
 * with a wait of each message's own the first to come would hold up shorter ones behind it.
 */
export function delayQueue(names: BusNames): QueueDeclaration {
  return waitingQueue(names, names.delayQueue, DELAY_ROUND_MS);
}

const DELAY_ROUND_MS = 5000;

function waitingQueue(names: BusNames, queue: string, waitMs: number): QueueDeclaration {
  return {
    queue,
    durable: true,
    arguments: {
      'x-queue-type': 'classic',
      'x-dead-letter-exchange': '',
      'x-dead-letter-routing-key': names.queue,
      'x-message-ttl': waitMs,
    },
  };
}

export function deadLetterQueue(names: BusNames): QueueDeclaration {
  return { queue: names.deadLetterQueue, durable: true, arguments: { 'x-queue-type': 'classic' } };
}

export function declareMainExchange(connection: Connection, names: BusNames): Promise<void> {
  return onChannel(connection, async (channel) => {
    await channel.exchangeDeclare({ exchange: names.mainExchange, type: 'fanout', durable: true });
  });
}

/** The way back first, then the queue, and last the binding that lets messages in. */
export function declareTopology(
  connection: Connection,
  names: BusNames,
  retryDelayMs: number,
): Promise<void> {
  return onChannel(connection, async (channel) => {
    const { mainExchange, retryExchange, retryQueue: waiting, queue } = names;
    await channel.exchangeDeclare({ exchange: mainExchange, type: 'fanout', durable: true });
    await channel.exchangeDeclare({ exchange: retryExchange, type: 'direct', durable: true });
    await channel.queueDeclare(deadLetterQueue(names));
    await channel.queueDeclare(retryQueue(names, retryDelayMs));
    await channel.queueDeclare(delayQueue(names));
    await channel.queueBind({ queue: waiting, exchange: retryExchange, routingKey: RETRY_KEY });
    await channel.queueDeclare(mainQueue(names));
    await channel.queueBind({ queue, exchange: mainExchange, routingKey: '' });
  });
}

async function onChannel(connection: Connection, work: (channel: Channel) => Promise<void>): Promise<void> {
  let channel: Channel | null = null;
  try {
    channel = await connection.acquire();
    await work(channel);
  } catch (error) {
    const { code } = error as { code?: string };
    if (code === 'PRECONDITION_FAILED')
      throw new PostriderError('BUS_TOPOLOGY_DIFFERS', `The broker has it otherwise: ${messageOf(error)}.`, {
        cause: error,
      });
    throw new PostriderError('BUS_UNAVAILABLE', `The broker refused: ${messageOf(error)}.`, { cause: error });
  } finally {
    await channel?.close();
  }
}
