import type { Database } from './store/index.js';
import { type FlowSecond, type QueueDepth, readFlow, readQueueDepth } from './views/index.js';

/**
 * What flows, second by second, for whoever is looking. The last minutes are kept, and only the newest seconds are
 * read, once however many look; when nobody does, nothing is read. Counting the queue is given at most a tenth of the
 * time.
 */
export interface Flow {
  /** By the clock of the database, in seconds since 1970; the second that has not ended is not shown. */
  now: number;
  seconds: FlowSecond[];
  queue: QueueDepth;
}

const KEPT_SECONDS = 300;
/** A settlement may be committed a little after its time. */
const AGAIN_SECONDS = 3;
const FRESH_MS = 900;
const QUEUE_FRESH_MS = 2000;

export function createFlowReader(
  database: () => Promise<Database>,
  monotonic: () => number,
): () => Promise<Flow> {
  const seconds = new Map<number, FlowSecond>();
  let until = 0;
  let queue: QueueDepth | null = null;
  let queueFreshUntil = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<Flow> | null = null;

  async function read(): Promise<Flow> {
    const store = (await database()).prompt();
    const answer = await readFlow(store, until - AGAIN_SECONDS);
    for (let at = answer.from; at < answer.now; at++) seconds.set(at, { at, ...NOTHING });
    for (const second of answer.seconds) if (second.at < answer.now) seconds.set(second.at, second);
    for (const at of seconds.keys()) if (at < answer.now - KEPT_SECONDS) seconds.delete(at);
    until = answer.now;
    if (queue === null || monotonic() >= queueFreshUntil) {
      const began = monotonic();
      queue = await readQueueDepth(store);
      queueFreshUntil = monotonic() + Math.max(QUEUE_FRESH_MS, (monotonic() - began) * 10);
    }
    return { now: answer.now, seconds: [...seconds.values()].sort((a, b) => a.at - b.at), queue };
  }

  return () => {
    if (reading === null || monotonic() - readAt > FRESH_MS) {
      readAt = monotonic();
      reading = read();
      reading.catch(() => {
        reading = null;
      });
    }
    return reading;
  };
}

const NOTHING = { accepted: 0, sent: 0, retrying: 0, failed: 0 };
