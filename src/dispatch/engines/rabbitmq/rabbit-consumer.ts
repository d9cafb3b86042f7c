import { type Channel, type Connection, type RawMessage, rawMessageOf } from '../../../amqp/index.js';
import { delay, type Logger, messageOf } from '../../../kernel/index.js';
import { type KeptChannel, keepChannel } from './keep-channel.js';
import { markVhost } from './mark-vhost.js';
import { declareTopology, type QueuedBells, type QueueType, SEND_QUEUE } from './topology.js';

/**
 * Consumes the queue of emails to send, with a bound on what is not acknowledged. What was delivered on a
 * channel that is gone cannot be acknowledged and comes again. It can be held for a while: nothing more is delivered
 * then, and what was stays where it is.
 */
export interface RabbitConsumer {
  up(): boolean;
  hold(on: boolean): void;
  /** Nothing more is delivered; what was can still be acknowledged. */
  quiesce(): Promise<void>;
  stop(): void;
  over: Promise<void>;
}

/** One message that was delivered and waits to be acknowledged. */
export interface Delivery {
  channel: Channel;
  tag: number;
}

export interface ConsumerOptions {
  connection: Connection;
  queueType: QueueType;
  prefetch: number;
  /** The store whose bells these are. */
  store: string;
  /** Told whenever it begins to consume, with what it found. */
  onFound(queued: QueuedBells): void;
  /** What it throws is logged, and the message is given back later. */
  onMessage(message: RawMessage, delivery: Delivery): void;
  onChange(error?: unknown): void;
  logger: Logger;
}

const CANCEL_MS = 2000;
const GIVE_BACK_MS = 5000;

export function createRabbitConsumer(options: ConsumerOptions): RabbitConsumer {
  /** null while it does not consume. */
  let consumerTag: string | null = null;
  let quiet = false;
  let held = false;
  let holding: Promise<void> = Promise.resolve();

  async function consume(channel: Channel): Promise<void> {
    if (quiet || held) return;
    const consuming = await channel.basicConsume({ queue: SEND_QUEUE }, (message) =>
      heard(message, { channel, tag: message.deliveryTag }),
    );
    consumerTag = consuming.consumerTag;
  }

  /** The client calls it with nothing above it: an error that left it would end the process, again with each delivery. */
  function heard(message: object, delivery: Delivery): void {
    try {
      options.onMessage(rawMessageOf(message), delivery);
    } catch (error) {
      options.logger.error({ err: messageOf(error) }, 'a message could not be taken; it is delivered again');
      setTimeout(() => giveBack(delivery), GIVE_BACK_MS).unref();
    }
  }

  async function letGo(channel: Channel): Promise<void> {
    const tag = consumerTag;
    consumerTag = null;
    if (tag !== null) await channel.basicCancel(tag);
  }

  async function holdOrGoOn(): Promise<void> {
    const channel = kept.current();
    if (!channel?.active) return;
    if (held) await letGo(channel);
    else if (consumerTag === null) await consume(channel);
  }

  function adjust(): void {
    // One that fails has lost its channel, and the next is set up as it should be.
    holding = holding.then(holdOrGoOn).catch(options.onChange);
  }

  const kept: KeptChannel = keepChannel({
    connection: options.connection,
    async setUp(channel) {
      const queued = await declareTopology(channel, options.queueType);
      await markVhost(channel, options);
      await channel.basicQos({ prefetchCount: options.prefetch });
      consumerTag = null;
      await consume(channel);
      options.onFound(queued);
    },
    onUp() {
      // Held or let go while it was being set up.
      adjust();
      options.onChange();
    },
    onDown: options.onChange,
  });
  return {
    up: () => kept.current() !== null,
    over: kept.over,
    stop: kept.stop,
    hold(on) {
      if (held === on) return;
      held = on;
      adjust();
    },
    async quiesce() {
      quiet = true;
      const channel = kept.current();
      if (!channel?.active) return;
      const waited = new AbortController();
      // A broker that hangs must not hold up a stop; what it still delivers is given back.
      await Promise.race([holding.then(() => letGo(channel)), delay(CANCEL_MS, waited.signal)]);
      waited.abort();
    },
  };
}

export function acknowledge({ channel, tag }: Delivery): void {
  if (channel.active) channel.basicAck({ deliveryTag: tag });
}

/** Back to the queue, for this or another consumer. */
export function giveBack({ channel, tag }: Delivery): void {
  if (channel.active) channel.basicNack({ deliveryTag: tag, requeue: true });
}
