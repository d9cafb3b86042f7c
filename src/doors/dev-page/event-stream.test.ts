import { expect, test } from 'vitest';
import { eventStream } from './event-stream.js';

function changes() {
  const listeners = new Set<(event: string, data: object) => void>();
  const open = (maxUnread = 10) =>
    eventStream(
      (tell) => {
        listeners.add(tell);
        return () => listeners.delete(tell);
      },
      { maxUnread },
    );
  const tell = () => {
    for (const listener of [...listeners]) listener('changed', {});
  };
  return { open, tell, listeners };
}

test('a client that does not read → let go, and nothing more is kept for it', async () => {
  const { open, tell, listeners } = changes();
  const stream = open(10);
  for (let n = 0; n < 1000; n++) tell();
  expect(listeners.size).toBe(0);
  let events = 0;
  for await (const _ of stream) events += 1;
  expect(events).toBeLessThan(20);
});

test('more streams than there may be → the oldest ends, the newest is told of changes', async () => {
  const { open, tell, listeners } = changes();
  const streams = Array.from({ length: 51 }, () => open());
  expect(listeners.size).toBe(50);
  tell();
  const first = streams[0]!.getReader();
  await first.read();
  expect((await first.read()).done).toBe(true);
  const last = streams[50]!.getReader();
  await last.read();
  expect(String(Buffer.from((await last.read()).value!))).toContain('event: changed');
  for (const stream of streams.slice(1, 50)) await stream.cancel();
  await last.cancel();
  expect(listeners.size).toBe(0);
});
