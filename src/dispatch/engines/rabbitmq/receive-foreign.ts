import type { RawMessage } from '../../../amqp/index.js';
import { type Clock, killPoint, type Logger, messageOf } from '../../../kernel/index.js';
import type { ForeignAnswer, ReceiveForeign } from '../../foreign-message.js';
import { readMirror, refusalHeaders } from './dead-letter-message.js';
import { acknowledge, type Delivery, giveBack } from './rabbit-consumer.js';
import type { RabbitPublisher } from './rabbit-publisher.js';
import { DEAD_LETTER_QUEUE, type QueueType } from './topology.js';

/**
 * Messages of other services: a few at a time they are handed on, and acknowledged only when their email is
 * committed or they stand in the dead-letter queue, byte for byte, with a reason. A crash before that repeats them.
 * One that has to wait waits here: a quorum queue of RabbitMQ 4 throws away what was given back to it twenty times.
 * One that fails by a fault of ours time after time, or was delivered as often as such a queue bears, is refused.
 */
export interface ForeignReceiver {
  take(message: RawMessage, delivery: Delivery): void;
  /** Takes no more; resolves when none is at work. */
  stop(): Promise<void>;
}

export interface ForeignOptions {
  receive: ReceiveForeign;
  publisher: Pick<RabbitPublisher, 'move'>;
  queueType: QueueType;
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

type Refusal = Extract<ForeignAnswer, { kind: 'refused' }>;

interface Waiting {
  message: RawMessage;
  delivery: Delivery;
  bytes: number;
  /** How often it failed by a fault of ours. */
  faults: number;
  /** Judged, and not in the dead-letter queue yet. */
  refusal: Refusal | null;
  /** How often it could not be moved there. */
  moves: number;
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
    const { properties, body } = message;
    const answer = await options
      .receive({
        messageId: properties.text('messageId'),
        correlationId: properties.text('correlationId'),
        contentEncoding: properties.text('contentEncoding'),
        body,
        deadLetterOf: readMirror(message),
      })
      .catch(
        (error: unknown): ForeignAnswer => ({ kind: 'later', message: messageOf(error), code: 'INTERNAL' }),
      );
    if (answer.kind !== 'later' || answer.code === undefined || faults + 1 < MOST_TRIES) return answer;
    const { code, message: why, stack } = answer;
    return { kind: 'refused', code, message: why, ...(stack !== undefined && { stack }) };
  }

  async function judge(one: Waiting): Promise<ForeignAnswer> {
    if (one.refusal) return one.refusal;
    // Before anything of it is read: reading may be what its worker died of.
    if (deliveriesOf(one.message, options.queueType) >= MOST_DELIVERIES) return DELIVERED_TOO_OFTEN;
    const answer = await ask(one);
    killPoint('amqp:accepted');
    return answer;
  }

  async function move({ message, delivery }: Waiting, refusal: Refusal): Promise<void> {
    const { properties } = message;
    const before = properties.headers().number('x-retry-count');
    const retries = before !== null && before >= 0 && before < MOST_RETRIES ? Math.floor(before) + 1 : 0;
    await options.publisher.move(message, {
      queue: DEAD_LETTER_QUEUE,
      // Without an id it could not be named when somebody puts it back.
      messageId: properties.text('messageId') ?? `unnamed-${clock.now().toString(36)}-${delivery.tag}`,
      headers: {
        ...refusalHeaders({ ...refusal, retries }, clock.now()),
        // Of an earlier refusal.
        'x-response-code': undefined,
        'x-error-stack': refusal.stack?.slice(0, MOST_STACK),
      },
    });
    killPoint('amqp:refused');
  }

  async function work(one: Waiting): Promise<void> {
    const { delivery, message } = one;
    // Its channel is gone: the broker delivers it again.
    if (!delivery.channel.active) return answered(one, () => {});
    const about = { messageId: message.properties.text('messageId') };
    const answer = await judge(one);
    if (answer.kind === 'later') {
      logger.warn({ ...about, why: answer.message }, 'a message of another service has to wait');
      return rest({ ...one, faults: answer.code === undefined ? one.faults : one.faults + 1 });
    }
    if (answer.kind === 'refused') {
      const why = { ...about, code: answer.code, ...(answer.field !== undefined && { field: answer.field }) };
      try {
        await move(one, answer);
      } catch (error) {
        logger.warn({ ...why, err: messageOf(error) }, 'a refused message could not be moved yet');
        return rest({ ...one, refusal: answer, moves: one.moves + 1 });
      }
      logger.warn(why, 'a message of another service was refused');
    }
    answered(one, acknowledge);
  }

  /** It holds nobody up meanwhile. */
  function rest(one: Waiting): void {
    if (stopping.signal.aborted) {
      answered(one, giveBack);
      return;
    }
    const waits = Math.max(0, one.faults - 1, one.moves - 1);
    const waitMs = Math.min(LONGEST_LATER_MS, LATER_MS * 2 ** waits);
    const timer = setTimeout(() => {
      resting.delete(one);
      waiting.push(one);
      pump();
    }, waitMs);
    resting.set(one, timer);
  }

  function pump(): void {
    while (working.size < AT_ONCE && waiting.length > 0) {
      const next = waiting.shift()!;
      const one = work(next)
        .catch((error: unknown) => {
          logger.error({ err: messageOf(error) }, 'a message could not be answered');
          rest({ ...next, moves: next.moves + 1 });
        })
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
      const one = { message, delivery, bytes: message.body.length, faults: 0, refusal: null, moves: 0 };
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

const DELIVERED_TOO_OFTEN: Refusal = {
  kind: 'refused',
  code: 'DELIVERED_TOO_OFTEN',
  message: 'Its worker was lost time after time.',
};
const MOST_RETRIES = 1_000_000;

/** Only quorum queues count, and they write their count over a publisher's from the second delivery on. */
function deliveriesOf({ properties, redelivered }: RawMessage, queueType: QueueType): number {
  if (queueType !== 'quorum' || !redelivered) return 0;
  return properties.headers().number('x-delivery-count') ?? 0;
}
