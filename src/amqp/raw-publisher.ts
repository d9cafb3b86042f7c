import { setImmediate as turn } from 'node:timers/promises';
import type { Channel, Connection } from 'rabbitmq-client';
import { delay } from '../kernel/index.js';
import type { MessageProperties } from './message-properties.js';
import { rawMessageOf } from './raw-message.js';

/**
 * Publishes messages as the bytes they are, persistent, with confirms and `mandatory`, on a channel of its own that is
 * opened when needed and again when it was lost. Rejects when the broker refuses the message, has no queue for it, or
 * does not confirm in time; then it may have arrived.
 */
export interface RawPublisher {
  publish(message: OutgoingRaw): Promise<void>;
  close(): Promise<void>;
}

export interface OutgoingRaw {
  exchange: string;
  routingKey: string;
  properties: MessageProperties;
  body: Buffer;
}

/** The broker has no queue for it, and has said so. */
export class UnroutableError extends Error {
  override readonly name = 'UnroutableError';
}

interface InFlight {
  message: OutgoingRaw;
  returned: boolean;
}

export function createRawPublisher(
  connection: Connection,
  { timeoutMs }: { timeoutMs: number },
): RawPublisher {
  const inFlight = new Set<InFlight>();
  let current: Channel | null = null;
  let opening: Promise<Channel> | null = null;

  async function open(): Promise<Channel> {
    const channel = await connection.acquire({ emitErrorsFromChannel: true });
    // What was being published rejects as well.
    channel.on('error', () => undefined);
    channel.on('basic.return', (message) => {
      const returned = returnedOf(message, inFlight);
      if (returned) returned.returned = true;
    });
    await channel.confirmSelect();
    current = channel;
    return channel;
  }

  async function publish(one: InFlight): Promise<void> {
    if (!current?.active) {
      opening ??= open().finally(() => {
        opening = null;
      });
      await opening;
    }
    await publishRaw(current!, one.message);
    // The client tells of a returned message in the turn after its confirm.
    await turn();
    const { exchange, routingKey } = one.message;
    if (one.returned)
      throw new UnroutableError(
        exchange === ''
          ? `The broker has no queue ${routingKey}.`
          : `${exchange} leads to no queue with the key ${routingKey}.`,
      );
  }

  return {
    async publish(message) {
      const one: InFlight = { message, returned: false };
      const over = new AbortController();
      inFlight.add(one);
      try {
        await Promise.race([
          publish(one),
          delay(timeoutMs, over.signal).then(() => {
            if (!over.signal.aborted) throw new Error('The broker did not confirm in time.');
          }),
        ]);
      } finally {
        over.abort();
        inFlight.delete(one);
      }
    },
    async close() {
      await opening?.catch(() => null);
      await current?.close();
    },
  };
}

/** It comes back before it is confirmed; two that are alike may stand for each other. */
function returnedOf(message: object, inFlight: ReadonlySet<InFlight>): InFlight | null {
  const { properties, body } = rawMessageOf(message);
  const { routingKey } = message as { routingKey: string };
  for (const one of inFlight) {
    if (one.returned || one.message.routingKey !== routingKey) continue;
    if (one.message.properties.text('messageId') !== properties.text('messageId')) continue;
    if (one.message.body.equals(body)) return one;
  }
  return null;
}

/** Steps of the client that its types do not name; it publishes what it encodes itself and nothing else. */
interface ChannelInside {
  id: number;
  active: boolean;
  _conn: { _state: { frameMax: number } };
  _state: {
    mode: number;
    deliveryCount: number;
    unconfirmed: Map<number, { resolve(): void; reject(error: unknown): void }>;
    stream: { writeAsync(frames: Iterator<Buffer>): Promise<void> };
  };
}

const CONFIRM_MODE = 2;

/** On a channel in confirm mode; resolves with the confirm. */
export async function publishRaw(channel: Channel, message: OutgoingRaw): Promise<void> {
  const inside = channel as unknown as ChannelInside;
  const { _state: state } = inside;
  if (!inside.active) throw new Error('the channel is closed');
  if (state.mode !== CONFIRM_MODE) throw new Error('the channel has no confirms');
  const frames = framesOf(inside.id, message, inside._conn._state.frameMax);
  await state.stream.writeAsync(frames);
  await new Promise<void>((resolve, reject) => {
    state.unconfirmed.set(state.deliveryCount++, { resolve, reject });
  });
}

/** What the properties of a message may take on this channel. */
export function maxPropertyBytes(channelOrConnection: Channel | Connection): number {
  const { _state, _conn } = channelOrConnection as unknown as ChannelInside & {
    _state: { frameMax?: number };
  };
  return (_state.frameMax ?? _conn._state.frameMax) - FRAME_BYTES - 12;
}

/** Type, channel, size and end. */
const FRAME_BYTES = 8;
const BASIC_PUBLISH = 0x003c0028;
const BASIC = 0x003c;

function framesOf(channel: number, message: OutgoingRaw, frameMax: number): Iterator<Buffer> {
  const properties = message.properties.persistent().write();
  const payloadMax = frameMax - FRAME_BYTES;
  if (12 + properties.length > payloadMax)
    throw new RangeError(
      `The properties of the message take ${properties.length} bytes; ${payloadMax - 12} fit.`,
    );
  const method = frame(1, channel, publishMethod(message));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(BASIC, 0);
  head.writeBigUInt64BE(BigInt(message.body.length), 4);
  const header = frame(2, channel, Buffer.concat([head, properties]));
  return (function* () {
    yield method;
    yield header;
    for (let at = 0; at < message.body.length; at += payloadMax)
      yield frame(3, channel, message.body.subarray(at, at + payloadMax));
  })();
}

function publishMethod({ exchange, routingKey }: OutgoingRaw): Buffer {
  const head = Buffer.alloc(6);
  head.writeUInt32BE(BASIC_PUBLISH);
  const names = [exchange, routingKey].map((name) => {
    const bytes = Buffer.from(name);
    return Buffer.concat([Buffer.from([bytes.length]), bytes]);
  });
  // The last byte says mandatory.
  return Buffer.concat([head, ...names, Buffer.from([1])]);
}

function frame(type: number, channel: number, payload: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(FRAME_BYTES + payload.length);
  bytes.writeUInt8(type, 0);
  bytes.writeUInt16BE(channel, 1);
  bytes.writeUInt32BE(payload.length, 3);
  payload.copy(bytes, 7);
  bytes.writeUInt8(0xce, 7 + payload.length);
  return bytes;
}
