import type { Bench } from '../bench.js';
import { runBareLoop } from '../ground/bare-smtp-loop.js';
import { composeSamples } from '../ground/compose-samples.js';
import { acceptMany } from '../ground/open-sender.js';
import { serverCpuSeconds } from '../ground/process-usage.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const EMAILS = 60_000;
const WARM = 15_000;
const CONNECTIONS = 20;

/** Delivered over SMTP with the full trail, beside a loop that only sends. */
export const endToEnd: Bench = {
  name: 'end-to-end',
  says: 'accepted emails delivered to smtp-sink by one worker process, against a bare pipelined loop',
  async run({ openDatabase, progress }) {
    const sink = await startSmtpSink();
    try {
      const messages = await composeSamples();
      const bare: number[] = [];
      const runBare = async () => {
        const { seconds } = await runBareLoop({
          port: sink.port,
          connections: CONNECTIONS,
          messages,
          total: EMAILS - WARM,
          warm: WARM,
        });
        bare.push((EMAILS - WARM) / seconds);
      };
      progress('the bare loop, before');
      await runBare();
      const database = await openDatabase();
      await acceptMany(database.url, EMAILS, (done) => progress(`${done} of ${EMAILS} accepted`));
      progress('the worker runs');
      const worker = await spawnWorker({ database: database.url, smtpPort: sink.port });
      const warm = await worker.ask({ do: 'expect', settled: WARM }, 'reached');
      const before = await worker.ask({ do: 'usage' }, 'usage');
      const serverBefore = await serverCpuSeconds(database.client);
      const end = await worker.ask({ do: 'expect', settled: EMAILS }, 'reached');
      const after = await worker.ask({ do: 'usage' }, 'usage');
      const serverAfter = await serverCpuSeconds(database.client);
      const emails = after.settled - before.settled;
      await worker.stop();
      progress('the bare loop, after');
      await runBare();
      const seconds = (end.at - warm.at) / 1000;
      const rate = (end.settled - warm.settled) / seconds;
      const bareRate = (bare[0]! + bare[1]!) / 2;
      return [
        {
          what: 'delivered end to end',
          value: rate,
          unit: 'emails/s',
          design: '6,000–10,000/s (prototypes)',
        },
        {
          what: 'bare pipelined loop',
          value: bareRate,
          unit: 'emails/s',
          design: '11,000–25,000/s',
          note: `mean of before and after; ${CONNECTIONS} connections`,
        },
        {
          what: 'share of the bare loop',
          value: (rate / bareRate) * 100,
          unit: '%',
          target: { atLeast: 30 },
        },
        {
          what: 'CPU of the worker',
          value: ((after.cpuMs - before.cpuMs) / 1000 / seconds) * 100,
          unit: '% of a core',
          note: `${Math.round(((after.cpuMs - before.cpuMs) * 1000) / emails)} µs an email`,
        },
        ...(serverBefore === null || serverAfter === null
          ? []
          : [
              {
                what: 'CPU of PostgreSQL',
                value: ((serverAfter - serverBefore) / seconds) * 100,
                unit: '% of a core',
                note: `${Math.round(((serverAfter - serverBefore) * 1e6) / emails)} µs an email`,
              },
            ]),
      ];
    } finally {
      await sink.stop();
    }
  },
};
