/** graphile-worker with its local queue and batched completion, which its documentation names for throughput. */
import { Logger, makeWorkerUtils, run } from 'graphile-worker';
import pg from 'pg';

export const settings = [
  { connections: 20, concurrentJobs: 20, localQueue: 200, completeJobBatchDelay: 0 },
  { connections: 20, concurrentJobs: 50, localQueue: 500, completeJobBatchDelay: 10 },
  { connections: 50, concurrentJobs: 100, localQueue: 1000, completeJobBatchDelay: 50 },
];

export const durability = 'insert and complete committed with fsync; completed jobs are deleted';

const TASK = 'send_email';
const LOOK_MS = 5;

const fail = (error) => {
  throw error;
};

export async function open({ postgres }) {
  const logger = new Logger(() => () => {});
  const pgPool = new pg.Pool({ connectionString: postgres, max: 12 });
  pgPool.on('error', fail);
  pgPool.on('connect', (client) => client.on('error', fail));
  const utils = await makeWorkerUtils({ pgPool, logger });
  await utils.migrate();
  return {
    insert: (emails) => utils.addJobs(emails.map((payload) => ({ identifier: TASK, payload }))),
    async work({ settings: tuned, total, send, onDone }) {
      let sent = 0;
      let allSent = () => {};
      const sending = new Promise((resolve) => {
        allSent = resolve;
      });
      const runner = await run({
        pgPool,
        logger,
        noHandleSignals: true,
        preset: {
          worker: {
            concurrentJobs: tuned.concurrentJobs,
            localQueue: { size: tuned.localQueue },
            completeJobBatchDelay: tuned.completeJobBatchDelay,
            pollInterval: 500,
          },
        },
        taskList: {
          [TASK]: async (email) => {
            await send(email);
            onDone();
            if (++sent === total) allSent();
          },
        },
      });
      await sending;
      // Done is when the last completion is committed.
      for (;;) {
        const { rows } = await pgPool.query(
          'select exists (select from graphile_worker._private_jobs) as left',
        );
        if (!rows[0].left) break;
        await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      }
      return () => runner.stop();
    },
    async close() {
      await utils.release();
      await pgPool.end();
    },
  };
}
