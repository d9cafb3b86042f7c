import type { HeaderValue } from './message-headers.js';
import type { MessageProperties } from './message-properties.js';

/**
 * The properties of a message that is published again to another queue: as they came, with headers of ours in place of
 * those of the same names. Left out is what the broker would act on: an expiry, which would end the message where it
 * lies, the user, who is another one now, and copies to other queues, which are kept under another name. Where the
 * headers do not fit into one frame, the largest go and are named.
 */
export function propertiesForMove(
  properties: MessageProperties,
  ours: Readonly<Record<string, HeaderValue | undefined>>,
  maxBytes: number,
): MessageProperties {
  const bare = properties.without('expiration', 'userId', 'headers');
  const headers = properties
    .headers()
    // Counted by the broker for the queue that the message leaves.
    .without((name) => name === 'x-delivery-count' || name === DROPPED)
    .rename({ CC: 'x-original-cc', BCC: 'x-original-bcc' })
    .set(ours);
  const room = maxBytes - bare.write().length - HEADERS_LENGTH_BYTES - DROPPED_BYTES;
  const fitting = headers.fitting(room, (name) => Object.hasOwn(ours, name));
  if (fitting.dropped.length === 0) return bare.withHeaders(headers);
  const names = fitting.dropped.join(', ').slice(0, MAX_NAMES);
  return bare.withHeaders(fitting.headers.set({ [DROPPED]: names }));
}

const DROPPED = 'x-dropped-headers';
const HEADERS_LENGTH_BYTES = 4;
const MAX_NAMES = 500;
/** The header that names them, with characters of up to four bytes. */
const DROPPED_BYTES = 1 + DROPPED.length + 5 + 4 * MAX_NAMES;
