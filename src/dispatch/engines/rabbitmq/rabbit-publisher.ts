import { setImmediate as turn } from 'node:timers/promises';
import {
  type Channel,
  type Connection,
  type Envelope,
  type HeaderValue,
  maxPropertyBytes,
  propertiesForMove,
  publishRaw,
  type RawMessage,
  rawMessageOf,
} from '../../../amqp/index.js';
import { delay } from '../../../kernel/index.js';
import { type KeptChannel, keepChannel } from './keep-channel.js';
import { declareQueue, declareTopology, type QueueType } from './topology.js';

/**
 * Publishes with confirms and `mandatory`. Resolves when the broker has taken every message into a queue;
 * rejects at once while it is away or blocks publishers, and after a few seconds of silence: then the
 * messages may still arrive, and whoever published them must be able to bear it.
 */
export interface RabbitPublisher {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
  /** Another's message, byte for byte, with headers of ours. */
  move(message: RawMessage, move: Move): Promise<void>;
  /** null when it can publish; else why not. */
  trouble(): string | null;
  stop(): void;
  over: Promise<void>;
}

export interface OutgoingMessage {
  /** Where to: an exchange and key, or a queue by its name. */
  to: { exchange: string; routingKey: string } | { queue: string };
  messageId: string;
  /** What it is, for who consumes it. */
  type?: string | undefined;
  properties?: Pick<Envelope, 'headers' | 'appId'>;
  body: unknown;
}

export interface Move {
  queue: string;
  /** Instead of the message's own. */
  messageId: string;
  headers: Readonly<Record<string, HeaderValue | undefined>>;
}

export interface PublisherOptions {
  connection: Connection;
  queueType: QueueType;
  /** It can publish, or cannot any more; an error says why. */
  onChange(error?: unknown): void;
}

const CONFIRM_MS = 8000;

export function createRabbitPublisher({
  connection,
  queueType,
  onChange,
}: PublisherOptions): RabbitPublisher {
  let blocked: string | null = null;
  /** Unroutable ones come back before they are confirmed. Counted, since two of others may have one id. */
  const returned = new Map<string, number>();
  connection.on('connection.blocked', (reason) => {
    blocked = reason;
    onChange(new Error(`the broker takes no messages: ${reason}`));
  });
  connection.on('connection.unblocked', () => {
    blocked = null;
    onChange();
  });
  const kept: KeptChannel = keepChannel({
    connection,
    async setUp(channel) {
      blocked = null;
      returned.clear();
      await declareTopology(channel, queueType);
      await channel.confirmSelect();
      channel.on('basic.return', (message) => {
        const id = rawMessageOf(message).properties.text('messageId') ?? '';
        returned.set(id, (returned.get(id) ?? 0) + 1);
      });
    },
    onUp: () => onChange(),
    onDown: onChange,
  });

  function trouble(): string | null {
    if (!kept.current()) return 'not connected to the broker';
    return blocked === null ? null : `the broker takes no messages: ${blocked}`;
  }

  function cameBack(messageId: string): boolean {
    const times = returned.get(messageId) ?? 0;
    if (times > 1) returned.set(messageId, times - 1);
    else returned.delete(messageId);
    return times > 0;
  }

  async function confirmed(
    messageIds: readonly string[],
    publish: (channel: Channel) => Promise<unknown>,
  ): Promise<void> {
    const channel = kept.current();
    const why = trouble();
    if (!channel || why) throw new Error(why ?? 'not connected to the broker');
    const waited = new AbortController();
    try {
      await Promise.race([
        publish(channel),
        delay(CONFIRM_MS, waited.signal).then(() => {
          if (!waited.signal.aborted) throw new Error('the broker did not confirm in time');
        }),
      ]);
    } finally {
      waited.abort();
    }
    // The client tells of a returned message in the turn after its confirm.
    await turn();
    const lost = messageIds.filter(cameBack);
    if (lost.length > 0) throw new Error(`${lost.length} messages could not be routed to a queue`);
  }

  return {
    over: kept.over,
    stop: kept.stop,
    trouble,
    async publish(messages) {
      if (messages.length === 0) return;
      await confirmed(
        messages.map(({ messageId }) => messageId),
        (channel) =>
          Promise.all(messages.map((message) => channel.basicPublish(envelopeOf(message), message.body))),
      );
    },
    async move({ properties, body }, { queue, messageId, headers }) {
      await confirmed([messageId], async (channel) => {
        // Nobody else would notice that it was deleted.
        await declareQueue(channel, { queue, type: queueType });
        const moved = propertiesForMove(
          properties.text('messageId') === messageId
            ? properties
            : properties.withText('messageId', messageId),
          headers,
          maxPropertyBytes(channel),
        );
        await publishRaw(channel, { exchange: '', routingKey: queue, properties: moved, body });
      });
    },
  };
}

function envelopeOf({ to, messageId, type, properties }: OutgoingMessage): Envelope {
  const place = 'queue' in to ? { exchange: '', routingKey: to.queue } : to;
  return {
    ...properties,
    ...place,
    messageId,
    ...(type !== undefined && { type }),
    mandatory: true,
    durable: true,
  };
}
