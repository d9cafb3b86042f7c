import { composeMessage } from '../../src/providers/index.js';
import { encodeForWire } from '../../src/providers/smtp/encode-for-wire.js';
import type { Bench } from '../bench.js';
import { runBareLoop } from '../ground/bare-smtp-loop.js';
import { acceptMany } from '../ground/open-sender.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const EMAILS = 20_000;
const WARM = 2000;
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
          total: EMAILS,
        });
        bare.push(EMAILS / seconds);
      };
      progress('the bare loop, before');
      await runBare();
      const database = await openDatabase();
      await acceptMany(database.url, EMAILS, (done) => progress(`${done} of ${EMAILS} accepted`));
      await database.client.query('vacuum analyze');
      progress('the worker runs');
      const worker = await spawnWorker({ database: database.url, smtpPort: sink.port });
      const warm = await worker.ask({ do: 'expect', settled: WARM }, 'reached');
      const before = await worker.ask({ do: 'usage' }, 'usage');
      const end = await worker.ask({ do: 'expect', settled: EMAILS }, 'reached');
      const after = await worker.ask({ do: 'usage' }, 'usage');
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
        },
      ];
    } finally {
      await sink.stop();
    }
  },
};

async function composeSamples(): Promise<Buffer[]> {
  const from = { address: 'noreply@example.com' };
  return Promise.all(
    sampleEmails(1000).map(async (email, index) => {
      const to = { address: String(email.to) };
      const message = await composeMessage({
        id: String(index),
        messageId: `<${index}@example.com>`,
        date: new Date(),
        from,
        replyTo: [],
        to: [to],
        cc: [],
        bcc: [],
        subject: email.subject,
        html: email.html ?? '',
        text: email.text ?? '',
        headers: {},
        attachments: [],
        recipients: [to.address],
      });
      return encodeForWire(message).bytes;
    }),
  );
}
