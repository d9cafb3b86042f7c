/** BullMQ on a Redis of its own; jobs go when they are complete, so that Redis stays small. */
import { Queue, Worker } from 'bullmq';

export const settings = [
  { connections: 20, concurrency: 20 },
  { connections: 20, concurrency: 50 },
  { connections: 50, concurrency: 100 },
];

export const durability = 'Redis appendonly, appendfsync everysec: up to a second of jobs may be lost';

const QUEUE = 'email';

export async function open({ redis }) {
  const connection = { host: '127.0.0.1', port: redis };
  const queue = new Queue(QUEUE, { connection });
  await queue.waitUntilReady();
  await queue.obliterate({ force: true });
  const opts = { removeOnComplete: true, attempts: 5, backoff: { type: 'exponential', delay: 1000 } };
  return {
    insert: (emails) => queue.addBulk(emails.map((data) => ({ name: 'send', data, opts }))),
    async work({ settings: { concurrency }, total, send, onDone }) {
      const worker = new Worker(QUEUE, async (job) => void (await send(job.data)), {
        connection: { ...connection, maxRetriesPerRequest: null },
        concurrency,
      });
      let completed = 0;
      await new Promise((resolve, reject) => {
        worker.on('completed', () => {
          onDone();
          if (++completed === total) resolve();
        });
        worker.on('failed', (_job, error) => reject(error));
        worker.on('error', reject);
      });
      return () => worker.close();
    },
    close: () => queue.close(),
  };
}
