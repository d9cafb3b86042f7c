import type { Connection, Envelope } from 'rabbitmq-client';
import { delay, PostriderError } from '../../kernel/index.js';
import type { BusMessage } from './bus-event.js';
import { type Headers, republishableDeaths } from './retry-count.js';

/**
 * Publishes a message again to another queue, whole. Resolves when the broker has it there; rejects when it does not
 * confirm in time or has no such queue, and then the message stays where it is.
 */
export interface Mover {
  move(message: BusMessage, queue: string, headers: Headers): Promise<void>;
  close(): Promise<void>;
}

export function createMover(connection: Connection, { timeoutMs }: { timeoutMs: number }): Mover {
  const publisher = connection.createPublisher({ confirm: true });
  let returned = false;
  // The client knows an option for this and does not read it.
  publisher.on('basic.return', () => {
    returned = true;
  });
  let before: Promise<unknown> = Promise.resolve();

  async function publish(envelope: Envelope, body: Buffer): Promise<void> {
    const over = new AbortController();
    const late = delay(timeoutMs, over.signal).then(() => {
      if (!over.signal.aborted)
        throw new PostriderError('BUS_UNAVAILABLE', 'The broker did not confirm in time.');
    });
    returned = false;
    try {
      await Promise.race([publisher.send(envelope, body), late]);
    } finally {
      over.abort();
    }
    // The client tells of a message that has no queue one turn after its confirmation.
    await new Promise((resolve) => setImmediate(resolve));
    if (returned)
      throw new PostriderError('BUS_UNAVAILABLE', `The broker has no queue ${envelope.routingKey}.`);
  }

  return {
    // One at a time, so that a message given back can only be this one.
    move(message, queue, headers) {
      const moved = before.then(() => publish(envelopeOf(message, queue, headers), bytesOf(message.body)));
      before = moved.catch(() => {});
      return moved;
    },
    close: () => publisher.close(),
  };
}

const KEPT = [
  'messageId',
  'type',
  'appId',
  'timestamp',
  'correlationId',
  'replyTo',
  'contentType',
  'contentEncoding',
  'priority',
] as const;

/** Without an expiry, which would end the message here, and without the user, who is another one now. */
function envelopeOf(message: BusMessage, queue: string, headers: Headers): Envelope {
  const properties = message as Partial<Record<(typeof KEPT)[number], unknown>>;
  return {
    ...Object.fromEntries(
      KEPT.map((name) => [name, properties[name]]).filter(([, value]) => value !== undefined),
    ),
    ...{ exchange: '', routingKey: queue, durable: true, mandatory: true },
    headers: fitting({
      ...headers,
      ...('x-death' in headers && { 'x-death': republishableDeaths(headers['x-death']) }),
    }),
  };
}

const MAX_HEADER_BYTES = 6000;

/** A frame has 8 KB for them: of headers that are larger only the broker's and ours go along. */
function fitting(headers: Record<string, unknown>): Record<string, unknown> {
  const size = JSON.stringify(headers, (_, value) =>
    typeof value === 'bigint' ? Number(value) : value,
  ).length;
  if (size <= MAX_HEADER_BYTES) return headers;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => /^x-(?:final-|original-queue$|death$)/.test(name)),
  );
}

function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
