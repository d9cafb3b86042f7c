/**
 * Changes as server-sent events. It keeps no history: a client that comes back asks for the whole again. One that does
 * not read is let go, so that it holds no memory here.
 */
export function eventStream(
  subscribe: Subscribe,
  { maxUnread }: { maxUnread: number },
): ReadableStream<Uint8Array> {
  let end = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const write = (text: string) => {
        if ((controller.desiredSize ?? 0) < -maxUnread) {
          end();
          controller.close();
        } else {
          controller.enqueue(encoder.encode(text));
        }
      };
      const unsubscribe = subscribe((event, data) =>
        write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      );
      // Proxies drop silent connections, and a closed laptop is noticed only by writing to it.
      const beat = setInterval(() => write(': still here\n\n'), BEAT_MS);
      beat.unref();
      end = () => {
        clearInterval(beat);
        unsubscribe();
      };
      write('retry: 1000\n\n');
    },
    cancel: () => end(),
  });
}

/** Tells of events until the returned function is called. */
export type Subscribe = (tell: (event: string, data: object) => void) => () => void;

const BEAT_MS = 15_000;
