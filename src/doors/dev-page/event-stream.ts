/**
 * Changes as server-sent events. It keeps no history: a client that comes back asks for the whole again. One that does
 * not read is let go, so that it holds no memory here, and beyond a few the oldest ends.
 */
export function eventStream(
  subscribe: Subscribe,
  { maxUnread }: { maxUnread: number },
): ReadableStream<Uint8Array> {
  let leave = () => {};
  return new ReadableStream<Uint8Array>({
    start(controller) {
      const encoder = new TextEncoder();
      const write = (text: string) => {
        if ((controller.desiredSize ?? 0) < -maxUnread) close();
        else controller.enqueue(encoder.encode(text));
      };
      const unsubscribe = subscribe((event, data) =>
        write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
      );
      // Proxies drop silent connections, and a closed laptop is noticed only by writing to it.
      const beat = setInterval(() => write(': still here\n\n'), BEAT_MS);
      beat.unref();
      leave = () => {
        clearInterval(beat);
        unsubscribe();
        open.delete(close);
      };
      const close = () => {
        leave();
        controller.close();
      };
      write('retry: 1000\n\n');
      open.add(close);
      if (open.size > MOST_STREAMS) for (const oldest of [...open].slice(0, 1)) oldest();
    },
    cancel: () => leave(),
  });
}

/** More than one person has pages open. */
const MOST_STREAMS = 50;
const open = new Set<() => void>();

/** Tells of events until the returned function is called. */
export type Subscribe = (tell: (event: string, data: object) => void) => () => void;

const BEAT_MS = 15_000;
