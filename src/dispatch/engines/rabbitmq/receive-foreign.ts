import type { AsyncMessage } from 'rabbitmq-client';
import { type Clock, killPoint, type Logger, messageOf } from '../../../kernel/index.js';
import type { ForeignAnswer, ReceiveForeign } from '../../foreign-message.js';
import { plainHeaders, readMirror, refusalHeaders } from './dead-letter-message.js';
import { acknowledge, type Delivery, giveBack } from './rabbit-consumer.js';
import type { OutgoingMessage, RabbitPublisher } from './rabbit-publisher.js';
import { DEAD_LETTER_QUEUE } from './topology.js';

/**
 * Messages of other services: a few at a time they are handed on, and acknowledged only when their email is
 * committed or they stand in the dead-letter queue with a reason. A crash before that repeats them. One that has
 * to wait waits here: a quorum queue of RabbitMQ 4 throws away what was given back to it twenty times. One that
 * fails by a fault of ours time after time, or was delivered as often as such a queue bears, is refused.
 */
export interface ForeignReceiver {
  take(message: AsyncMessage, delivery: Delivery): void;
  /** Takes no more; resolves when none is at work. */
  stop(): Promise<void>;
}

export interface ForeignOptions {
  receive: ReceiveForeign;
  publisher: Pick<RabbitPublisher, 'publish'>;
  /** Whether it holds as many bytes as it may; nothing more should come then. */
  onFull(full: boolean): void;
  clock: Clock;
  logger: Logger;
}

const AT_ONCE = 8;
/** How much of messages is kept at once, apart from what is on its way; a prefetch counts messages only. */
const MOST_BYTES = 16 * 1024 * 1024;
const LATER_MS = 1000;
/** With the waits between them, each twice the last and none over a minute, these take four minutes. */
const MOST_TRIES = 10;
const LONGEST_LATER_MS = 60_000;
const MOST_STACK = 4000;
/** Half of what RabbitMQ 4 allows a quorum queue; classic queues do not count. */
const MOST_DELIVERIES = 10;

interface Waiting {
  message: AsyncMessage;
  delivery: Delivery;
  bytes: number;
  /** How often it failed by a fault of ours. */
  faults: number;
}

export function createForeignReceiver(options: ForeignOptions): ForeignReceiver {
  const { clock, logger } = options;
  const stopping = new AbortController();
  const waiting: Waiting[] = [];
  /** Those whose wait is not over. */
  const resting = new Map<Waiting, NodeJS.Timeout>();
  const working = new Set<Promise<void>>();
  let bytes = 0;
  let full = false;

  function count(more: number): void {
    bytes += more;
    if (full ? bytes > MOST_BYTES / 2 : bytes < MOST_BYTES) return;
    full = !full;
    options.onFull(full);
  }

  function answered(one: Waiting, how: (delivery: Delivery) => void): void {
    how(one.delivery);
    count(-one.bytes);
  }

  async function ask({ message, faults }: Waiting): Promise<ForeignAnswer> {
    if (deliveriesOf(message) >= MOST_DELIVERIES)
      return {
        kind: 'refused',
        code: 'DELIVERED_TOO_OFTEN',
        message: 'Its worker was lost time after time.',
      };
    const answer = await options.receive({
      messageId: message.messageId || null,
      correlationId: message.correlationId || null,
      body: message.body,
      deadLetterOf: readMirror(message),
    });
    if (answer.kind !== 'later' || answer.code === undefined || faults + 1 < MOST_TRIES) return answer;
    const { code, message: why, stack } = answer;
    return { kind: 'refused', code, message: why, ...(stack !== undefined && { stack }) };
  }

  async function judge(one: Waiting): Promise<ForeignAnswer> {
    try {
      const answer = await ask(one);
      killPoint('amqp:accepted');
      if (answer.kind === 'refused') await options.publisher.publish([refused(one.message, answer)]);
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
          ...(answer.stack !== undefined && { 'x-error-stack': answer.stack.slice(0, MOST_STACK) }),
        },
      },
      // Text would lose its content type on the way.
      body: typeof message.body === 'string' ? Buffer.from(message.body) : message.body,
    };
  }

  async function work(one: Waiting): Promise<void> {
    const { delivery } = one;
    // Its channel is gone: the broker delivers it again.
    if (!delivery.channel.active) return answered(one, () => {});
    const answer = await judge(one);
    if (answer.kind === 'later') {
      logger.warn({ why: answer.message }, 'a message of another service has to wait');
      return rest({ ...one, faults: answer.code === undefined ? one.faults : one.faults + 1 });
    }
    if (answer.kind === 'refused') {
      logger.warn({ code: answer.code }, 'a message of another service was refused');
    }
    answered(one, acknowledge);
  }

  /** It holds nobody up meanwhile. */
  function rest(one: Waiting): void {
    if (stopping.signal.aborted) {
      answered(one, giveBack);
      return;
    }
    const waitMs = Math.min(LONGEST_LATER_MS, LATER_MS * 2 ** Math.max(0, one.faults - 1));
    const timer = setTimeout(() => {
      resting.delete(one);
      waiting.push(one);
      pump();
    }, waitMs);
    resting.set(one, timer);
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
      const one = { message, delivery, bytes: bytesOf(message.body), faults: 0 };
      count(one.bytes);
      waiting.push(one);
      pump();
    },
    async stop() {
      stopping.abort();
      for (const timer of resting.values()) clearTimeout(timer);
      for (const one of [...waiting.splice(0), ...resting.keys()]) answered(one, giveBack);
      resting.clear();
      await Promise.all(working);
    },
  };
}

/** As far as can be told of what the client has parsed. */
function bytesOf(body: unknown): number {
  if (Buffer.isBuffer(body) || typeof body === 'string') return body.length;
  return JSON.stringify(body)?.length ?? 0;
}

function deliveriesOf({ headers }: AsyncMessage): number {
  const count: unknown = headers?.['x-delivery-count'];
  return typeof count === 'number' ? count : 0;
}
