export { type HeaderValue, MessageHeaders } from './message-headers.js';
export { MessageProperties, type PropertyValues } from './message-properties.js';
export { propertiesForMove } from './properties-for-move.js';
export {
  type Channel,
  type Connection,
  type Consumer,
  type Envelope,
  openRawConnection,
  type Publisher,
} from './raw-connection.js';
export { type RawMessage, rawMessageOf } from './raw-message.js';
export {
  createRawPublisher,
  maxPropertyBytes,
  type OutgoingRaw,
  publishRaw,
  type RawPublisher,
  UnroutableError,
} from './raw-publisher.js';
