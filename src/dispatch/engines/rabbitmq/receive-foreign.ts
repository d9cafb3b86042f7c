import type { AsyncMessage } from 'rabbitmq-client';
import { type Clock, delay, killPoint, type Logger, messageOf } from '../../../kernel/index.js';
import type { ForeignAnswer, ReceiveForeign } from '../../foreign-message.js';
import { plainHeaders, readMirror, refusalHeaders } from './dead-letter-message.js';
import { acknowledge, type Delivery, giveBack } from './rabbit-consumer.js';
import type { OutgoingMessage, RabbitPublisher } from './rabbit-publisher.js';
import { DEAD_LETTER_QUEUE } from './topology.js';

/**
 * Messages of other services: a few at a time they are handed on, and acknowledged only when their email is
 * committed or they stand in the dead-letter queue with a reason. A crash before that repeats them. One that has
 * to wait waits here: a quorum queue of RabbitMQ 4 throws away what was given back to it twenty times.
 */
export interface ForeignReceiver {
  take(message: AsyncMessage, delivery: Delivery): void;
  /** Takes no more; resolves when none is at work. */
  stop(): Promise<void>;
}

export interface ForeignOptions {
  receive: ReceiveForeign;
  publisher: Pick<RabbitPublisher, 'publish'>;
  clock: Clock;
  logger: Logger;
}

const AT_ONCE = 8;
const LATER_MS = 1000;

export function createForeignReceiver(options: ForeignOptions): ForeignReceiver {
  const { clock, logger } = options;
  const stopping = new AbortController();
  const waiting: Array<[AsyncMessage, Delivery]> = [];
  const working = new Set<Promise<void>>();

  async function judge(message: AsyncMessage): Promise<ForeignAnswer> {
    try {
      const answer = await options.receive({
        messageId: message.messageId || null,
        correlationId: message.correlationId || null,
        body: message.body,
        deadLetterOf: readMirror(message),
      });
      killPoint('amqp:accepted');
      if (answer.kind === 'refused') await options.publisher.publish([refused(message, answer)]);
      killPoint('amqp:refused');
      return answer;
    } catch (error) {
      return { kind: 'later', message: messageOf(error) };
    }
  }

  function refused(
    message: AsyncMessage,
    answer: Extract<ForeignAnswer, { kind: 'refused' }>,
  ): OutgoingMessage {
    const { contentType, contentEncoding, correlationId, appId } = message;
    const headers = plainHeaders(message.headers);
    const before = headers['x-retry-count'];
    const retries = typeof before === 'number' && before >= 0 ? before + 1 : 0;
    return {
      to: { queue: DEAD_LETTER_QUEUE },
      // Without an id it could not be named when somebody puts it back.
      messageId: message.messageId || `unnamed-${clock.now().toString(36)}-${message.deliveryTag}`,
      type: message.type,
      properties: {
        ...(contentType !== undefined && { contentType }),
        ...(contentEncoding !== undefined && { contentEncoding }),
        ...(correlationId !== undefined && { correlationId }),
        ...(appId !== undefined && { appId }),
        headers: {
          ...headers,
          ...refusalHeaders({ ...answer, retries }, clock.now()),
        },
      },
      // Text would lose its content type on the way.
      body: typeof message.body === 'string' ? Buffer.from(message.body) : message.body,
    };
  }

  async function work([message, delivery]: [AsyncMessage, Delivery]): Promise<void> {
    // Its channel is gone: the broker delivers it again.
    if (!delivery.channel.active) return;
    const answer = await judge(message);
    if (answer.kind === 'later') {
      logger.warn({ why: answer.message }, 'a message of another service has to wait');
      await delay(LATER_MS, stopping.signal);
      if (stopping.signal.aborted) giveBack(delivery);
      else waiting.push([message, delivery]);
      return;
    }
    if (answer.kind === 'refused') {
      logger.warn({ code: answer.code }, 'a message of another service was refused');
    }
    acknowledge(delivery);
  }

  function pump(): void {
    while (working.size < AT_ONCE && waiting.length > 0) {
      const one = work(waiting.shift()!)
        .catch((error: unknown) => logger.warn({ err: messageOf(error) }, 'a message could not be answered'))
        .finally(() => {
          working.delete(one);
          pump();
        });
      working.add(one);
    }
  }

  return {
    take(message, delivery) {
      if (stopping.signal.aborted) return giveBack(delivery);
      waiting.push([message, delivery]);
      pump();
    },
    async stop() {
      stopping.abort();
      for (const [, delivery] of waiting.splice(0)) giveBack(delivery);
      await Promise.all(working);
    },
  };
}
