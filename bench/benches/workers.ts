import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchContext, Figure } from '../bench.js';
import { Skipped } from '../bench.js';
import type { BenchDatabase } from '../ground/bench-server.js';
import { BENCH_SETTINGS, startBenchServer } from '../ground/bench-server.js';
import { type CountingSink, startCountingSink } from '../ground/counting-sink.js';
import { openSender } from '../ground/open-sender.js';
import { serverCpuSeconds } from '../ground/process-usage.js';
import { quantile } from '../ground/quantiles.js';
import { type BenchWorker, spawnWorker } from '../ground/spawn-worker.js';

const FLEETS = [1, 4, 8];
const EMAILS = Number(process.env.BENCH_WORKERS_EMAILS ?? 100);
const IDLE_MS = 10_000;

/** What one email costs a fleet that is otherwise idle. What the same fleet uses without emails is subtracted. */
export const workers: Bench = {
  name: 'workers',
  says: `${EMAILS} single emails one after another, each its own transaction, with 1, 4 and 8 idle worker processes`,
  async run({ progress }: BenchContext) {
    const server = await startBenchServer({
      ...BENCH_SETTINGS,
      shared_preload_libraries: 'pg_stat_statements',
    });
    const figures: Figure[] = [];
    const costs: Cost[] = [];
    try {
      for (const count of FLEETS) {
        const database = await server.open();
        try {
          const cost = await measureFleet(database, count, progress);
          costs.push(cost);
          figures.push(...figuresOf(count, cost));
        } finally {
          await database.drop();
        }
      }
    } finally {
      await server.remove();
    }
    const [one, eight] = [costs[0]!, costs.at(-1)!];
    return [
      ...figures,
      {
        what: 'an email with 8 workers against one with 1, CPU of workers and PostgreSQL',
        value: (eight.workerMs + eight.postgresMs) / (one.workerMs + one.postgresMs),
        unit: '×',
        target: { atMost: 1.5 },
      },
      {
        what: 'an email with 8 workers against one with 1, CPU of workers',
        value: eight.workerMs / one.workerMs,
        unit: '×',
        target: { atMost: 1.5 },
      },
    ];
  },
};

interface Cost {
  statements: number;
  workerMs: number;
  postgresMs: number;
  mail: number[];
  /** With one of them stopped by SIGSTOP; empty where there is one. */
  mailWithFrozen: number[];
}

async function measureFleet(
  database: BenchDatabase,
  count: number,
  progress: (text: string) => void,
): Promise<Cost> {
  await countStatements(database);
  const label = `${count} ${count === 1 ? 'worker' : 'workers'}`;
  const sink = await startCountingSink();
  const fleet = await Promise.all(
    Array.from({ length: count }, () => spawnWorker({ database: database.url, smtpPort: sink.port })),
  );
  const sender = openSender(database.url);
  await sender.ready();
  const send = (subject: string) => sendOne(sender, sink, subject);
  try {
    for (let index = 0; index < 20; index++) await send(`warm ${index}`);
    await pause(1500);
    progress(`${label}: idle`);
    const idle = await spent(database, fleet, () => pause(IDLE_MS));
    progress(`${label}: ${EMAILS} emails`);
    const mail: number[] = [];
    const busy = await spent(database, fleet, async () => {
      for (let index = 0; index < EMAILS; index++) mail.push(await send(`email ${index}`));
    });
    const each = (pick: (use: Spent) => number) =>
      (pick(busy) - (pick(idle) * busy.wallMs) / idle.wallMs) / EMAILS;
    if (process.env.BENCH_WORKERS_SHOW) console.log(await topStatements(database));
    return {
      // The statement that accepts is the sender's.
      statements: each((use) => use.statements),
      workerMs: each((use) => use.workerMs),
      postgresMs: each((use) => use.postgresMs),
      mail,
      mailWithFrozen: count > 1 ? await withFrozen(fleet, send) : [],
    };
  } finally {
    await sender.stop();
    await Promise.all(fleet.map((worker) => worker.stop()));
    await sink.stop();
  }
}

async function sendOne(
  sender: ReturnType<typeof openSender>,
  sink: CountingSink,
  subject: string,
): Promise<number> {
  await pause(80 + Math.random() * 80);
  const mailed = sink.nextMail();
  await sender.send({ to: 'someone@example.com', subject, text: 'One email.' });
  const committedAt = Number(process.hrtime.bigint()) / 1e6;
  return Math.max(0, (await mailed) - committedAt);
}

async function withFrozen(
  fleet: readonly BenchWorker[],
  send: (subject: string) => Promise<number>,
): Promise<number[]> {
  const frozen = fleet[0]!.pid;
  const mail: number[] = [];
  process.kill(frozen, 'SIGSTOP');
  try {
    // Before the others take it for dead.
    for (let index = 0; index < 40; index++) mail.push(await send(`beside a frozen one ${index}`));
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
  return mail;
}

interface Spent {
  wallMs: number;
  statements: number;
  workerMs: number;
  postgresMs: number;
}

async function spent(
  database: BenchDatabase,
  fleet: readonly BenchWorker[],
  work: () => Promise<unknown>,
): Promise<Spent> {
  const read = async (): Promise<Spent> => {
    const usages = await Promise.all(fleet.map((worker) => worker.ask({ do: 'usage' }, 'usage')));
    return {
      wallMs: performance.now(),
      statements: await statementsOf(database),
      workerMs: usages.reduce((sum, usage) => sum + usage.cpuMs, 0),
      postgresMs: ((await serverCpuSeconds(database.client)) ?? 0) * 1000,
    };
  };
  const before = await read();
  await work();
  const after = await read();
  return {
    wallMs: after.wallMs - before.wallMs,
    statements: after.statements - before.statements,
    workerMs: after.workerMs - before.workerMs,
    postgresMs: after.postgresMs - before.postgresMs,
  };
}

async function countStatements({ client }: BenchDatabase): Promise<void> {
  try {
    await client.query('create extension pg_stat_statements');
    await client.query('select 1 from pg_stat_statements limit 1');
  } catch (error) {
    throw new Skipped(`pg_stat_statements cannot be used: ${(error as Error).message}`);
  }
}

const OF_WORKERS = `
  from pg_stat_statements s
  where dbid = (select oid from pg_database where datname = current_database())
    and query not ilike '%pg_stat_statements%' and query not ilike 'with%copy%' and query !~* '^(begin|commit|copy)'`;

async function statementsOf({ client }: BenchDatabase): Promise<number> {
  const { rows } = await client.query<{ calls: number }>(
    `select coalesce(sum(calls), 0)::float8 as calls ${OF_WORKERS}`,
  );
  return rows[0]!.calls;
}

async function topStatements({ client }: BenchDatabase): Promise<string> {
  const { rows } = await client.query<{ line: string }>(
    `select calls || '  ' || round(mean_exec_time::numeric, 3) || '  ' || left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as line
     ${OF_WORKERS} order by calls desc limit 40`,
  );
  return rows.map((row) => row.line).join('\n');
}

function figuresOf(count: number, cost: Cost): Figure[] {
  const label = `${count} ${count === 1 ? 'worker' : 'workers'}`;
  const figures: Figure[] = [
    { what: `${label}: statements an email`, value: cost.statements, unit: '' },
    { what: `${label}: CPU of the workers an email`, value: cost.workerMs, unit: 'ms' },
    { what: `${label}: CPU of PostgreSQL an email`, value: cost.postgresMs, unit: 'ms' },
    {
      what: `${label}: commit → MAIL, p50`,
      value: quantile(cost.mail, 0.5),
      unit: 'ms',
      target: { atMost: 10 },
      note: `p99 ${quantile(cost.mail, 0.99).toFixed(1)} ms, longest ${Math.max(...cost.mail).toFixed(1)} ms`,
    },
  ];
  if (cost.mailWithFrozen.length > 0) {
    figures.push({
      what: `${label}, one frozen: commit → MAIL, p50`,
      value: quantile(cost.mailWithFrozen, 0.5),
      unit: 'ms',
      target: { atMost: 10 },
      note: `p90 ${quantile(cost.mailWithFrozen, 0.9).toFixed(1)} ms, longest ${Math.max(...cost.mailWithFrozen).toFixed(1)} ms`,
    });
  }
  return figures;
}
