import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { createPostrider } from '../../src/index.js';
import type { Bench, BenchContext, Figure } from '../bench.js';
import { serverCpuSeconds } from '../ground/process-usage.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const RUNS = [
  { endpoints: 0, emails: 6000 },
  { endpoints: 1, emails: 6000 },
  { endpoints: 10, emails: 2000 },
];
const SECRET_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;
const PATIENCE_MS = 180_000;

/** What a webhook costs PostgreSQL: emails that are sent at once, each told to none, one or ten endpoints that answer at once. */
export const webhooks: Bench = {
  name: 'webhooks',
  says: 'emails delivered by one worker with 0, 1 and 10 webhook endpoints, and what a webhook costs',
  async run(context: BenchContext) {
    const figures: Figure[] = [];
    let without = 0;
    for (const { endpoints, emails } of RUNS) {
      const { postgresUs, workerUs, perSecond } = await deliver(context, endpoints, emails);
      const label = `${endpoints} ${endpoints === 1 ? 'endpoint' : 'endpoints'}`;
      figures.push({
        what: `${label}: CPU of PostgreSQL an email`,
        value: postgresUs,
        unit: 'µs',
        note: `worker ${Math.round(workerUs)} µs`,
      });
      if (endpoints === 0) {
        without = postgresUs;
        continue;
      }
      figures.push(
        {
          what: `${label}: CPU of PostgreSQL a webhook`,
          value: (postgresUs - without) / endpoints,
          unit: 'µs',
          target: { atMost: 150 },
        },
        { what: `${label}: webhooks`, value: perSecond, unit: '/s' },
      );
    }
    return figures;
  },
};

async function deliver({ openDatabase, progress }: BenchContext, endpoints: number, emails: number) {
  const database = await openDatabase();
  const receiver = await startReceiver();
  const owner = createPostrider({
    database: database.url,
    from: { address: 'noreply@example.com' },
    config: {
      email: { mode: 'console' },
      log: { level: 'error' },
      access: { secretKeys: SECRET_KEYS },
      webhooks: { allowPrivate: true },
    },
  });
  for (let index = 0; index < endpoints; index++)
    await owner.webhooks.create({ url: `${receiver.url}/${index}`, events: ['email.sent'] });
  // Their endpoints are of the one tenant there is.
  const samples = sampleEmails(emails).map((email) => ({ ...email, companyId: 'default' }));
  for (let done = 0; done < emails; done += 500) await owner.sendBatch(samples.slice(done, done + 500));
  await owner.stop();
  const postgres = async () => ((await serverCpuSeconds(database.client)) ?? 0) * 1e6;
  progress(`${emails} emails, ${endpoints} endpoints`);
  const before = await postgres();
  const startedAt = performance.now();
  const worker = await spawnWorker({ database: database.url, secretKeys: SECRET_KEYS });
  try {
    await worker.ask({ do: 'expect', settled: emails }, 'reached');
    const deadline = performance.now() + PATIENCE_MS;
    while (endpoints > 0 && !(await isAllDelivered(database.client, emails * endpoints))) {
      if (performance.now() > deadline)
        throw new Error(`${receiver.count()} webhooks after ${PATIENCE_MS} ms`);
      await pause(50);
    }
    const seconds = (performance.now() - startedAt) / 1000;
    const { cpuMs } = await worker.ask({ do: 'usage' }, 'usage');
    return {
      postgresUs: ((await postgres()) - before) / emails,
      workerUs: (cpuMs * 1000) / emails,
      perSecond: (emails * endpoints) / seconds,
    };
  } finally {
    await worker.stop();
    await receiver.stop();
  }
}

/** Asked 20 times a second by the primary key of the newest alone until nothing is due. */
async function isAllDelivered(client: { query(text: string): Promise<{ rows: unknown[] }> }, count: number) {
  const { rows } = await client.query(
    'select from postrider.webhook_deliveries where due_at is not null limit 1',
  );
  if (rows.length > 0) return false;
  const { rows: done } = await client.query(
    "select count(*)::int as n from postrider.webhook_deliveries where status = 'success'",
  );
  return (done[0] as { n: number }).n === count;
}

async function startReceiver() {
  let count = 0;
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      count++;
      response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    count: () => count,
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
