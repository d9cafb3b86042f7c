import { setImmediate as turn } from 'node:timers/promises';
import {
  type Channel,
  maxPropertyBytes,
  propertiesForMove,
  publishRaw,
  type RawMessage,
  rawMessageOf,
} from '../../../amqp/index.js';
import { delay, isPostriderError, messageOf, PostriderError, readJson } from '../../../kernel/index.js';
import { HEADER_NAMES, readMirror } from './dead-letter-message.js';
import { openRabbit, type RabbitAddress } from './open-rabbit.js';
import { DEAD_LETTER_QUEUE, EXCHANGE, ROUTING_KEY } from './topology.js';

/**
 * Looks into the broker's dead-letter queue and empties it, one call at a time over a connection of its own.
 * What a call does not act on is left where it was. Bodies are not shown: they may hold codes and links.
 */
export interface BrokerDeadLetter {
  messageId: string;
  /** The email it mirrors; null for a message of another service. */
  emailId: string | null;
  /** Of the email a message asked for. */
  type: string | null;
  correlationId: string | null;
  retryCount: number | null;
  errorCode: string | null;
  errorMessage: string | null;
  failedAt: string | null;
  failureType: string | null;
  responseCode: number | null;
}

/** What to do with one of them: `back` returns it to the exchange. */
export type DeadLetterFate = 'keep' | 'remove' | 'back';

export interface DeadLetterDesk {
  list(limit: number): Promise<{ total: number; messages: BrokerDeadLetter[] }>;
  /** Goes through them once, up to a limit, and carries out what is decided for each. */
  sort(decide: (letter: BrokerDeadLetter) => Promise<DeadLetterFate>): Promise<void>;
  /** All of them at once; returns how many there were. */
  purge(): Promise<number>;
}

const MOST = 10_000;
const CONNECT_MS = 5000;

export function createDeadLetterDesk(address: RabbitAddress): DeadLetterDesk {
  return {
    list: (limit) =>
      withChannel(address, async (channel) => {
        const { messageCount: total } = await channel.queueDeclare({
          queue: DEAD_LETTER_QUEUE,
          passive: true,
        });
        const messages: BrokerDeadLetter[] = [];
        // Unacknowledged, they go back to their places when the channel closes.
        for (let left = limit; left > 0; left--) {
          const message = await channel.basicGet(DEAD_LETTER_QUEUE);
          if (!message) break;
          messages.push(readLetter(rawMessageOf(message)));
        }
        return { total, messages };
      }),
    sort: (decide) =>
      withChannel(address, async (channel) => {
        const { messageCount } = await channel.queueDeclare({ queue: DEAD_LETTER_QUEUE, passive: true });
        await channel.confirmSelect();
        let returned = false;
        channel.on('basic.return', () => {
          returned = true;
        });
        // No more than there were: one that is refused again comes back at the end.
        for (let left = Math.min(MOST, messageCount); left > 0; left--) {
          const found = await channel.basicGet(DEAD_LETTER_QUEUE);
          if (!found) return;
          const message = rawMessageOf(found);
          const fate = await decide(readLetter(message));
          if (fate === 'keep') continue;
          // Confirmed first: a crash between the two leaves it in both places rather than in none.
          if (fate === 'back') {
            await sendBack(channel, message);
            // The client tells of a returned message in the turn after its confirm.
            await turn();
            if (returned)
              throw new PostriderError('BROKER_UNAVAILABLE', `${EXCHANGE} leads to no queue on the broker.`);
          }
          channel.basicAck({ deliveryTag: message.deliveryTag });
        }
      }),
    purge: () =>
      withChannel(address, async (channel) => (await channel.queuePurge(DEAD_LETTER_QUEUE)).messageCount),
  };
}

/** Byte for byte, without the reason it was refused for; how often that happened stays. */
async function sendBack(channel: Channel, { properties, body }: RawMessage): Promise<void> {
  const headers = properties
    .headers()
    .without((name) => name !== 'x-retry-count' && HEADER_NAMES.some((ours) => ours === name));
  const moved = propertiesForMove(properties.withHeaders(headers), {}, maxPropertyBytes(channel));
  try {
    await publishRaw(channel, { exchange: EXCHANGE, routingKey: ROUTING_KEY, properties: moved, body });
  } catch (error) {
    if ((error as { code?: string }).code !== 'PRECONDITION_FAILED') throw error;
    throw new PostriderError(
      'MESSAGE_NOT_MOVABLE',
      `The broker does not take the message ${properties.text('messageId') ?? ''}: ${messageOf(error)}`,
      { cause: error },
    );
  }
}

async function withChannel<T>(address: RabbitAddress, work: (channel: Channel) => Promise<T>): Promise<T> {
  const connection = await openRabbit(address, 'dead letters');
  let lost: unknown = null;
  let channel: Channel | null = null;
  connection.on('error', (error) => {
    lost = error;
  });
  try {
    channel = await connection.acquire({ emitErrorsFromChannel: true });
    channel.on('error', () => undefined); // what was asked for rejects as well
    return await work(channel);
  } catch (error) {
    if (isPostriderError(error)) throw error;
    if ((error as { code?: string }).code === 'NOT_FOUND') {
      throw new PostriderError('BROKER_UNAVAILABLE', `The broker has no queue ${DEAD_LETTER_QUEUE} yet.`);
    }
    throw new PostriderError(
      'BROKER_UNAVAILABLE',
      `The broker cannot be asked: ${messageOf(lost ?? error)}`,
      {
        cause: error,
      },
    );
  } finally {
    const waited = new AbortController();
    // The connection waits for its channels.
    const closed = Promise.all([channel?.close(), connection.close()]);
    await Promise.race([closed, delay(CONNECT_MS, waited.signal)]);
    waited.abort();
    connection.unsafeDestroy();
  }
}

function readLetter(message: RawMessage): BrokerDeadLetter {
  const { properties } = message;
  const headers = properties.headers();
  const emailId = readMirror(message);
  return {
    messageId: properties.text('messageId') ?? '',
    emailId,
    type: emailId === null ? typeIn(message.body) : null,
    correlationId: properties.text('correlationId'),
    retryCount: headers.number('x-retry-count'),
    errorCode: headers.text('x-error-code'),
    errorMessage: headers.text('x-error-message'),
    failedAt: headers.text('x-failed-at'),
    failureType: headers.text('x-failure-type'),
    responseCode: headers.number('x-response-code'),
  };
}

/** Null for what is no JSON within the limits; most of what lies here is not. */
function typeIn(body: Buffer): string | null {
  try {
    const fields = readJson(body, { maxBytes: MOST_BYTES_READ });
    const { type } = (fields ?? {}) as { type?: unknown };
    return typeof type === 'string' ? type : null;
  } catch {
    return null;
  }
}

/** A list of many should not read the files in them. */
const MOST_BYTES_READ = 256 * 1024;
