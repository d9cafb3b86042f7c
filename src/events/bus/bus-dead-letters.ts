import {
  type Channel,
  type Connection,
  type RawMessage,
  rawMessageOf,
  UnroutableError,
} from '../../amqp/index.js';
import { killPoint, type Logger, messageOf, PostriderError } from '../../kernel/index.js';
import { connectBus } from './bus-connection.js';
import { readEvent } from './bus-event.js';
import type { BusNames } from './bus-names.js';
import { createMover, type Mover } from './move-message.js';
import { countRetries } from './retry-count.js';

/**
 * What a service gave up on: looking at it, and putting it back into the service's queue. A retried message leaves the
 * dead-letter queue after the broker has it in the other one: a crash in between makes it two, never none. Looking
 * holds the messages for as long as it takes, so somebody else who looks meanwhile does not see them.
 */
export interface BusDeadLetters {
  /** The oldest first; 100 unless said otherwise. */
  list(options?: { limit?: number }): Promise<BusDeadLetter[]>;
  /** Those of these ids, or up to `limit` of all. With their retries counted on, unless `maxRetries` was raised each gets one try. */
  retry(which?: { ids?: readonly string[]; limit?: number }): Promise<RetriedLetters>;
}

export interface RetriedLetters {
  retried: number;
  left: number;
  /** Of the ids those that are not there. */
  notFound: string[];
}

export interface BusDeadLetter {
  /** Null where the publisher gave none: such a message can be retried only with all others. */
  id: string | null;
  type: string | null;
  source: string | null;
  occurredAt: string | null;
  originalQueue: string | null;
  finalStatusCode: number | null;
  finalError: string | null;
  finalRetryCount: number | null;
}

export interface BusDeadLettersParts {
  url: string;
  names: BusNames;
  timeoutMs: number;
  logger: Logger;
}

const MAX_LOOKED_AT = 10_000;

export function createBusDeadLetters({ url, names, timeoutMs, logger }: BusDeadLettersParts): BusDeadLetters {
  const queue = names.deadLetterQueue;

  async function within<T>(work: (channel: Channel, connection: Connection) => Promise<T>): Promise<T> {
    const connection = await connectBus({ url, name: `postrider bus ${queue}`, logger, timeoutMs });
    try {
      const channel = await connection.acquire();
      return await work(channel, connection);
    } catch (error) {
      if (error instanceof PostriderError) throw error;
      const { code } = error as { code?: string };
      if (error instanceof UnroutableError)
        throw new PostriderError('BUS_QUEUE_NOT_FOUND', error.message, { cause: error });
      if (code === 'PRECONDITION_FAILED')
        throw new PostriderError(
          'MESSAGE_NOT_MOVABLE',
          `The broker refuses the event: ${messageOf(error)}.`,
          {
            cause: error,
          },
        );
      if (code === 'NOT_FOUND')
        throw new PostriderError('BUS_QUEUE_NOT_FOUND', `The broker has no queue ${queue}.`, {
          cause: error,
        });
      throw new PostriderError('BUS_UNAVAILABLE', `The broker refused: ${messageOf(error)}.`, {
        cause: error,
      });
    } finally {
      // What was only looked at was never acknowledged and is back in its place at once.
      connection.unsafeDestroy();
    }
  }

  return {
    list: ({ limit = 100 } = {}) =>
      within(async (channel) => {
        const found: BusDeadLetter[] = [];
        for await (const message of messagesOf(channel, queue, limit)) found.push(await present(message));
        return found;
      }),
    retry: ({ ids, limit = MAX_LOOKED_AT } = {}) =>
      within(async (channel, connection) => {
        const wanted = ids && new Set(ids);
        const mover = createMover(connection, { timeoutMs });
        let retried = 0;
        for await (const message of messagesOf(channel, queue, MAX_LOOKED_AT)) {
          if (retried >= limit || wanted?.size === 0) break;
          const { id } = await present(message);
          if (wanted && (id === null || !wanted.delete(id))) continue;
          await moveBack(channel, mover, message);
          retried += 1;
        }
        // Closing waits for the acknowledgements and gives the rest back, so that it is counted.
        await channel.close();
        const { messageCount } = await connection.queueDeclare({ queue, passive: true });
        return { retried, left: messageCount, notFound: [...(wanted ?? [])] };
      }),
  };

  async function moveBack(channel: Channel, mover: Mover, message: RawMessage): Promise<void> {
    await mover.move(message, names.queue, {});
    killPoint('bus:retried');
    channel.basicAck({ deliveryTag: message.deliveryTag });
    logger.info(
      {
        eventId: (await present(message)).id,
        retries: countRetries(message.properties.headers().values(), names.queue),
      },
      'dead letter retried',
    );
  }
}

async function* messagesOf(channel: Channel, queue: string, limit: number): AsyncGenerator<RawMessage> {
  const { messageCount } = await channel.queueDeclare({ queue, passive: true });
  for (let taken = 0; taken < Math.min(limit, messageCount); taken += 1) {
    const message = await channel.basicGet({ queue });
    if (message === undefined) return;
    yield rawMessageOf(message);
  }
}

async function present(message: RawMessage): Promise<BusDeadLetter> {
  const { properties } = message;
  const headers = properties.headers();
  const event = await readEvent(message);
  return {
    id: 'id' in event ? event.id : properties.text('messageId'),
    type: 'id' in event ? event.type : properties.text('type'),
    source: 'id' in event ? event.source : properties.text('appId'),
    occurredAt: 'id' in event ? event.occurredAt : null,
    originalQueue: headers.text('x-original-queue'),
    finalStatusCode: headers.number('x-final-status-code'),
    finalError: headers.text('x-final-error'),
    finalRetryCount: headers.number('x-final-retry-count'),
  };
}
