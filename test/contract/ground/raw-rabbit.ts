import {
  type Connection,
  createRawPublisher,
  type HeaderValue,
  MessageHeaders,
  MessageProperties,
  openRawConnection,
  type PropertyValues,
  type RawMessage,
  rawMessageOf,
} from '../../../src/amqp/index.js';

/** A publisher and reader of messages as bytes, for what no client would write. */
export interface RawRabbit {
  connection: Connection;
  publish(exchange: string, routingKey: string, message: RawSketch): Promise<void>;
  /** Takes one off a queue, for good. */
  take(queue: string): Promise<RawMessage | undefined>;
  depth(queue: string): Promise<number>;
  close(): Promise<void>;
}

export interface RawSketch extends Omit<PropertyValues, 'headers'> {
  headers?: Record<string, HeaderValue> | MessageHeaders;
  body?: Buffer | string | object;
}

export async function openRawRabbit(url: string): Promise<RawRabbit> {
  const connection = await openRawConnection({ url, acquireTimeout: 5000 });
  connection.on('error', () => undefined); // whatever was asked for rejects as well
  const publisher = createRawPublisher(connection, { timeoutMs: 20_000 });
  return {
    connection,
    publish: (exchange, routingKey, message) =>
      publisher.publish({ exchange, routingKey, ...rawMessage(message) }),
    async take(queue) {
      const message = await connection.basicGet({ queue, noAck: true });
      return message && rawMessageOf(message);
    },
    depth: async (queue) => (await connection.queueDeclare({ queue, passive: true })).messageCount,
    async close() {
      await publisher.close();
      await connection.close();
    },
  };
}

export function rawMessage({
  headers,
  body = {},
  ...texts
}: RawSketch): Pick<RawMessage, 'properties' | 'body'> {
  const bare = MessageProperties.of(texts);
  const properties = headers
    ? bare.withHeaders(headers instanceof MessageHeaders ? headers : MessageHeaders.of(headers))
    : bare;
  const bytes = Buffer.isBuffer(body)
    ? body
    : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  return { properties, body: bytes };
}

/** JSON of so many levels that is an email's in every other way. */
export function deepJson(depth: number, fields: object): string {
  const outer = JSON.stringify(fields).slice(0, -1);
  return `${outer},"deep":${'['.repeat(depth)}${']'.repeat(depth)}}`;
}

/** A header of tables in tables; no client of ours would write it. */
export function deepHeaders(depth: number): MessageHeaders {
  const perLevel = 6;
  const bytes = Buffer.alloc(depth * perLevel);
  for (let level = 0; level < depth; level++) {
    const at = level * perLevel;
    bytes.write('F', at + 1, 'latin1');
    bytes.writeUInt32BE((depth - level - 1) * perLevel, at + 2);
  }
  return MessageHeaders.read(bytes);
}
