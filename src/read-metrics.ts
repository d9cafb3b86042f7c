import type { Postrider } from './postrider.js';
import { countQueue, readQueueDepth, readRoutes } from './views/index.js';

/**
 * The figures of this process and what the store says of the queue, as Prometheus reads them. The queue is counted at
 * most every five seconds, however many ask; a store that is away costs its figures, not the scrape.
 */
export function createMetricsReader(
  postrider: Postrider,
  now: () => number,
): () => Promise<{ contentType: string; body: string }> {
  const { registry, queue, bus } = postrider.metrics;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> = Promise.resolve();

  async function refresh(): Promise<void> {
    try {
      const database = (await postrider.ready()).prompt();
      const counting = countQueue(database);
      const [depth, routes, waitingForBus] = await Promise.all([
        readQueueDepth(database, counting),
        readRoutes(database, counting),
        postrider.waitingForBus(),
      ]);
      queue.set({ ...depth, routes, waitingForBus });
    } catch {
      // An absent figure says so, and /health/ready has the reason.
      queue.forget();
    }
  }

  return async () => {
    if (now() - readAt > FRESH_MS) {
      readAt = now();
      reading = refresh();
    }
    await reading;
    bus.up(postrider.busState()?.up ?? null);
    return { contentType: registry.contentType, body: await registry.metrics() };
  };
}

const FRESH_MS = 5000;
