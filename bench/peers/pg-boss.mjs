/**
 * pg-boss: jobs inserted in bulk, fetched and completed in batches by several loops at once. The loops call
 * fetch and complete themselves, which spares pg-boss the polling pauses of its own `work`.
 */
import { PgBoss } from 'pg-boss';

export const settings = [
  { connections: 20, loops: 2, batchSize: 50 },
  { connections: 20, loops: 4, batchSize: 100 },
  { connections: 50, loops: 4, batchSize: 250 },
];

export const durability = 'insert and complete committed with fsync; completed rows are kept';

const QUEUE = 'email';

export async function open({ postgres }) {
  const boss = new PgBoss({ connectionString: postgres, max: 10, supervise: false, schedule: false });
  boss.on('error', (error) => {
    throw error;
  });
  await boss.start();
  await boss.createQueue(QUEUE);
  return {
    insert: (emails) =>
      boss.insert(
        QUEUE,
        emails.map((data) => ({ data })),
      ),
    async work({ settings: { loops, batchSize }, send, onDone }) {
      const loop = async () => {
        for (;;) {
          const jobs = await boss.fetch(QUEUE, { batchSize });
          if (jobs.length === 0) return;
          await Promise.all(jobs.map((job) => send(job.data)));
          await boss.complete(
            QUEUE,
            jobs.map((job) => job.id),
          );
          for (const _ of jobs) onDone();
        }
      };
      await Promise.all(Array.from({ length: loops }, loop));
    },
    close: () => boss.stop({ graceful: false }),
  };
}
