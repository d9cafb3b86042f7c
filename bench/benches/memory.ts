import { type Bench, type BenchContext, Skipped } from '../bench.js';
import { cloneEmail, fillQueue } from '../ground/fill-queue.js';
import { openSender } from '../ground/open-sender.js';
import { peakMemoryMb } from '../ground/process-usage.js';
import { largeEmail, sampleEmails } from '../ground/sample-emails.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const REAL = 40_000;
const MILLION = 1_000_000;
const LARGE = 400;
const TARGET_MB = 200;

/** The most a worker process ever held, as the kernel saw it (VmHWM). */
export const memory: Bench = {
  name: 'memory',
  says: 'resident memory of a worker with a million rows waiting, and with bodies of 512 KB',
  async run(context) {
    if (peakMemoryMb(process.pid) === null) throw new Skipped('there is no /proc to read');
    const sink = await startSmtpSink();
    try {
      const million = await behindMillion(context);
      const large = await withLargeBodies(context, sink.port);
      return [
        {
          what: 'with a million rows waiting',
          value: million,
          unit: 'MB',
          target: { atMost: TARGET_MB },
          note: `peak over ${REAL.toLocaleString('en')} emails of 5 KB`,
        },
        {
          what: 'with bodies of 512 KB, over SMTP',
          value: large,
          unit: 'MB',
          target: { atMost: TARGET_MB },
          note: `peak over ${LARGE} emails`,
        },
      ];
    } finally {
      await sink.stop();
    }
  },
};

/** The first rows in line are complete emails; the worker ends before it comes to the others. */
async function behindMillion({ openDatabase, progress }: BenchContext): Promise<number> {
  const database = await openDatabase();
  const sender = openSender(database.url);
  const { emailId } = await sender.send({ ...sampleEmails(1)[0]!, companyId: 'tenant-00000' });
  await sender.stop();
  progress(`filling ${REAL} emails`);
  await cloneEmail(database.client, emailId, REAL);
  await fillQueue(database.client, {
    count: MILLION,
    onProgress: (done) => done % 250_000 === 0 && progress(`filling ${done} of ${MILLION} rows`),
  });
  return peakOf(database.url, REAL - 2000, {});
}

async function withLargeBodies({ openDatabase, progress }: BenchContext, smtpPort: number): Promise<number> {
  const database = await openDatabase();
  const sender = openSender(database.url);
  const { emailId } = await sender.send(largeEmail(512 * 1024));
  await sender.stop();
  progress(`filling ${LARGE} large emails`);
  await cloneEmail(database.client, emailId, LARGE);
  return peakOf(database.url, LARGE, { smtpPort });
}

async function peakOf(database: string, settled: number, options: { smtpPort?: number }): Promise<number> {
  const worker = await spawnWorker({ database, ...options });
  await worker.ask({ do: 'expect', settled }, 'reached');
  const peak = peakMemoryMb(worker.pid) ?? Number.NaN;
  await worker.kill();
  return peak;
}
