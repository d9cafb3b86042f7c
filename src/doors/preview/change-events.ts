/** Changes to the templates as server-sent events named `changed`. One that does not read is let go. */
import type { Preview } from './create-preview.js';

export function changeEvents(preview: Preview): ReadableStream<Uint8Array> {
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
      const unsubscribe = preview.subscribe(() => send('event: changed\ndata: {}\n\n'));
      // A closed laptop is noticed only by writing to it.
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

const MAX_UNREAD = 100;
const BEAT_MS = 15_000;
