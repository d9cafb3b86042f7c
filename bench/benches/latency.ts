import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import type { Bench, BenchContext } from '../bench.js';
import { type CountingSink, startCountingSink } from '../ground/counting-sink.js';
import { openSender } from '../ground/open-sender.js';
import { quantile } from '../ground/quantiles.js';
import { type BenchWorker, spawnWorker } from '../ground/spawn-worker.js';

const SAMPLES = 200;

/** From the commit's answer to the MAIL an SMTP server sees, on a system that does nothing else. */
export const latency: Bench = {
  name: 'latency',
  says: `commit → claim and commit → MAIL at an SMTP server on an idle system, ${SAMPLES} emails at irregular times`,
  async run({ openDatabase, progress }: BenchContext) {
    const database = await openDatabase();
    const sink = await startCountingSink();
    const worker = await spawnWorker({ database: database.url, smtpPort: sink.port });
    const ground = { worker, sink };
    const sender = openSender(database.url);
    await sender.ready();
    const pool = new pg.Pool({ connectionString: database.url, max: 1 });

    const byBell = await sample(
      ground,
      (done) => progress(`by the bell: ${done}`),
      async (subject) => {
        const client = await pool.connect();
        try {
          await client.query('begin');
          await sender.send({ to: 'probe@example.com', subject, text: 'Are you awake?' }, { tx: client });
          await client.query('commit');
          return Number(process.hrtime.bigint()) / 1e6;
        } finally {
          client.release();
        }
      },
    );
    const direct = await sample(
      ground,
      (done) => progress(`in one process: ${done}`),
      async (subject) => {
        return (await worker.ask({ do: 'send', subject }, 'accepted')).at;
      },
    );
    await pool.end();
    await sender.stop();
    await worker.stop();
    await sink.stop();
    return [
      ...figures('caller’s own transaction (bell)', byBell),
      ...figures('send() beside the worker (direct)', direct),
    ];
  },
};

interface Samples {
  claim: number[];
  mail: number[];
}

async function sample(
  { worker, sink }: { worker: BenchWorker; sink: CountingSink },
  progress: (done: number) => void,
  commit: (subject: string) => Promise<number>,
): Promise<Samples> {
  const samples: Samples = { claim: [], mail: [] };
  for (let index = -10; index < SAMPLES; index++) {
    await pause(20 + Math.random() * 130);
    const reached = worker.next('probe');
    const mailed = sink.nextMail();
    const committedAt = await commit(`probe ${index}`);
    const [{ claimedAt }, mailedAt] = await Promise.all([reached, mailed]);
    if (index < 0) continue;
    // The worker may hear of the commit before the caller does.
    samples.claim.push(Math.max(0, claimedAt - committedAt));
    samples.mail.push(Math.max(0, mailedAt - committedAt));
    if (index % 50 === 49) progress(index + 1);
  }
  return samples;
}

function figures(path: string, { claim, mail }: Samples) {
  return [
    {
      what: `${path}: commit → claimed, p50`,
      value: quantile(claim, 0.5),
      unit: 'ms',
      design: 'bell heard in 0.1 ms',
      note: `p99 ${quantile(claim, 0.99).toFixed(1)} ms`,
    },
    {
      what: `${path}: commit → MAIL, p50`,
      value: quantile(mail, 0.5),
      unit: 'ms',
      target: { atMost: 10 },
    },
    {
      what: `${path}: commit → MAIL, p99`,
      value: quantile(mail, 0.99),
      unit: 'ms',
      target: { atMost: 50 },
      note: `longest ${Math.max(...mail).toFixed(1)} ms`,
    },
  ];
}
