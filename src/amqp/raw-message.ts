import { MessageProperties } from './message-properties.js';

/** A message as it came from the broker: nothing of it is parsed or decoded until somebody asks. */
export interface RawMessage {
  deliveryTag: number;
  /** Delivered before, to any consumer. */
  redelivered: boolean;
  properties: MessageProperties;
  body: Buffer;
}

/** The one header the client sees, which holds all properties; see `raw-connection.ts`. */
export const RAW_HEADER = 'raw';

/** What the client hands over on a raw connection. */
export function rawMessageOf(message: object): RawMessage {
  const { deliveryTag = 0, redelivered = false, headers, body } = message as ClientMessage;
  const bytes = headers?.[RAW_HEADER];
  if (!Buffer.isBuffer(bytes) || !Buffer.isBuffer(body))
    throw new Error('the message did not come over a raw connection');
  return { deliveryTag, redelivered, properties: MessageProperties.read(bytes), body };
}

interface ClientMessage {
  deliveryTag?: number;
  redelivered?: boolean;
  headers?: Record<string, unknown>;
  body?: unknown;
}
