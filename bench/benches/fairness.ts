import type { Bench } from '../bench.js';
import { cloneEmail } from '../ground/fill-queue.js';
import { openSender } from '../ground/open-sender.js';
import { median } from '../ground/quantiles.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const BACKLOG = 100_000;
const REPEATS = 5;

/** How long one tenant's email waits behind another tenant's flood. */
export const fairness: Bench = {
  name: 'fairness',
  says: `one email of a tenant accepted behind another tenant's ${BACKLOG.toLocaleString('en')}`,
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sender = openSender(database.url);
    const flood = { ...sampleEmails(1)[0]!, companyId: 'flood' };
    const { emailId } = await sender.send(flood);
    progress(`filling ${BACKLOG} rows`);
    await cloneEmail(database.client, emailId, BACKLOG);
    const worker = await spawnWorker({ database: database.url, sendMs: 2 });
    await worker.ask({ do: 'expect', settled: 2000 }, 'reached');
    const waits: number[] = [];
    const ahead: number[] = [];
    for (let repeat = 1; repeat <= REPEATS; repeat++) {
      progress(`single email ${repeat} of ${REPEATS}`);
      const before = await worker.ask({ do: 'usage' }, 'usage');
      const reached = worker.next('probe');
      const tenant = `single-${repeat}`;
      await sender.send({ to: 'a@example.com', subject: 'probe', text: 'One.', companyId: tenant });
      const acceptedAt = Number(process.hrtime.bigint()) / 1e6;
      const { at, sends } = await reached;
      waits.push(Math.max(0, at - acceptedAt) / 1000);
      ahead.push(sends - before.sends);
    }
    await worker.stop();
    await sender.stop();
    return [
      {
        what: 'committed → at the provider, median',
        value: median(waits),
        unit: 's',
        target: { atMost: 1 },
        note: `${REPEATS} emails; the provider takes 2 ms`,
      },
      {
        what: 'committed → at the provider, longest',
        value: Math.max(...waits),
        unit: 's',
        target: { atMost: 1 },
      },
      { what: 'emails of the other tenant sent meanwhile, median', value: median(ahead), unit: 'emails' },
    ];
  },
};
