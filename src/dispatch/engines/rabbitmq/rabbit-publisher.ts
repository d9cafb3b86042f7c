import { setImmediate as turn } from 'node:timers/promises';
import type { Connection, Envelope } from 'rabbitmq-client';
import { delay } from '../../../kernel/index.js';
import { type KeptChannel, keepChannel } from './keep-channel.js';
import { declareTopology, type QueueType } from './topology.js';

/**
 * Publishes with confirms and `mandatory`. Resolves when the broker has taken every message into a queue;
 * rejects at once while it is away or blocks publishers, and after a few seconds of silence: then the
 * messages may still arrive, and whoever published them must be able to bear it.
 */
export interface RabbitPublisher {
  publish(messages: readonly OutgoingMessage[]): Promise<void>;
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
  properties?: Pick<Envelope, 'headers' | 'contentType' | 'contentEncoding' | 'correlationId' | 'appId'>;
  body: unknown;
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
  /** Unroutable ones come back before they are confirmed. */
  const returned = new Set<string>();
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
      channel.on('basic.return', (message) => returned.add(message.messageId ?? ''));
    },
    onUp: () => onChange(),
    onDown: onChange,
  });

  function trouble(): string | null {
    if (!kept.current()) return 'not connected to the broker';
    return blocked === null ? null : `the broker takes no messages: ${blocked}`;
  }

  return {
    over: kept.over,
    stop: kept.stop,
    trouble,
    async publish(messages) {
      if (messages.length === 0) return;
      const channel = kept.current();
      const why = trouble();
      if (!channel || why) throw new Error(why ?? 'not connected to the broker');
      const waited = new AbortController();
      try {
        await Promise.race([
          Promise.all(messages.map((message) => channel.basicPublish(envelopeOf(message), message.body))),
          delay(CONFIRM_MS, waited.signal).then(() => {
            if (!waited.signal.aborted) throw new Error('the broker did not confirm in time');
          }),
        ]);
      } finally {
        waited.abort();
      }
      // The client tells of a returned message in the turn after its confirm.
      await turn();
      const lost = messages.filter((message) => returned.delete(message.messageId));
      if (lost.length > 0) throw new Error(`${lost.length} messages could not be routed to a queue`);
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
