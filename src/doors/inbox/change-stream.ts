/**
 * The inbox's changes as server-sent events: `received` with the message, `removed` with its id, `cleared`.
 * It keeps no history: a client that comes back asks for the list again. One that does not read is let go,
 * so that it holds no memory here.
 */
import type { Inbox } from './create-inbox.js';

export function changeStream(inbox: Inbox): ReadableStream<Uint8Array> {
  let end = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const send = (text: string) => {
        if ((controller.desiredSize ?? 0) < -MAX_UNREAD) {
          end();
          controller.close();
        } else {
          controller.enqueue(encoder.encode(text));
        }
      };
      const unsubscribe = inbox.subscribe(({ kind, ...rest }) =>
        send(`event: ${kind}\ndata: ${JSON.stringify(rest)}\n\n`),
      );
      // Proxies drop silent connections, and a closed laptop is noticed only by writing to it.
      const beat = setInterval(() => send(': still here\n\n'), BEAT_MS);
      beat.unref();
      end = () => {
        clearInterval(beat);
        unsubscribe();
      };
      send('retry: 1000\n\n');
    },
    cancel: () => end(),
  });
}

/** Events waiting to be read. */
const MAX_UNREAD = 1000;
const BEAT_MS = 15_000;
