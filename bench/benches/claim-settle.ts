import type { Bench } from '../bench.js';
import type { BenchDatabase } from '../ground/bench-server.js';
import { cloneEmail } from '../ground/fill-queue.js';
import { acceptMany, openSender } from '../ground/open-sender.js';
import { serverCpuSeconds } from '../ground/process-usage.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { type BenchWorker, spawnWorker } from '../ground/spawn-worker.js';

const EMAILS = 30_000;
/** Settled before the clock starts, so that plans and code are warm. */
const WARM = 3000;
const FLOOD = 20_000;

/** The ledger's part of the journey: everything but the network. */
export const claimSettle: Bench = {
  name: 'claim-settle',
  says: 'claim → open → validate → settle in one worker process whose provider says "sent" at once',
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    await acceptMany(database.url, EMAILS, (done) => progress(`${done} of ${EMAILS} accepted`));
    progress('the worker runs');
    const worker = await spawnWorker({ database: database.url });
    const warm = await worker.ask({ do: 'expect', settled: WARM }, 'reached');
    const before = await worker.ask({ do: 'usage' }, 'usage');
    const serverBefore = await serverCpuSeconds(database.client);
    const end = await worker.ask({ do: 'expect', settled: EMAILS }, 'reached');
    const after = await worker.ask({ do: 'usage' }, 'usage');
    const serverAfter = await serverCpuSeconds(database.client);
    progress('the same worker, after a quiet time');
    const flooded = await floodAfterQuiet(database, worker);
    await worker.stop();
    const seconds = (end.at - warm.at) / 1000;
    const settled = end.settled - warm.settled;
    const nodeMs = after.cpuMs - before.cpuMs;
    const share = (busySeconds: number) => (busySeconds / seconds) * 100;
    return [
      {
        what: 'claimed, opened and settled',
        value: settled / seconds,
        unit: 'emails/s',
        design: '6,000–10,000/s end to end (prototypes, with SMTP)',
      },
      { what: 'CPU of the worker', value: share(nodeMs / 1000), unit: '% of a core' },
      { what: 'CPU of the worker per email', value: (nodeMs / settled) * 1000, unit: 'µs' },
      ...(serverBefore === null || serverAfter === null
        ? []
        : [
            { what: 'CPU of PostgreSQL', value: share(serverAfter - serverBefore), unit: '% of a core' },
            {
              what: 'CPU of PostgreSQL per email',
              value: ((serverAfter - serverBefore) / settled) * 1e6,
              unit: 'µs',
            },
          ]),
      {
        what: 'the same after a quiet time',
        value: flooded,
        unit: 'emails/s',
        note: 'statements planned on an empty queue, then 20,000 rows at once',
      },
    ];
  },
};

/**
 * A worker that idled for long has its statements planned for a queue that is empty; they must still be
 * right when a campaign comes.
 */
async function floodAfterQuiet(database: BenchDatabase, worker: BenchWorker): Promise<number> {
  const { client, url } = database;
  await client.query('vacuum analyze postrider.email_queue');
  const sender = openSender(url);
  let sampleId = '';
  let settled = EMAILS;
  for (const email of sampleEmails(40, { seed: 2 })) {
    sampleId = (await sender.send(email)).emailId;
    await worker.ask({ do: 'expect', settled: ++settled }, 'reached');
  }
  // One statement: all of them become visible at the same moment.
  await cloneEmail(client, sampleId, FLOOD);
  await client.query("select pg_notify('postrider_bell', '')");
  const warm = await worker.ask({ do: 'expect', settled: settled + WARM }, 'reached');
  const end = await worker.ask({ do: 'expect', settled: settled + FLOOD }, 'reached');
  await sender.stop();
  return (end.settled - warm.settled) / ((end.at - warm.at) / 1000);
}
