import { setTimeout as pause } from 'node:timers/promises';
import type { Bench, BenchContext, Figure } from '../bench.js';
import type { BenchDatabase } from '../ground/bench-server.js';
import { type EngineGround, withEachEngine } from '../ground/engine-ground.js';
import { acceptMany } from '../ground/open-sender.js';
import { processCpuSeconds, serverCpuSeconds } from '../ground/process-usage.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { type BenchWorker, spawnWorker } from '../ground/spawn-worker.js';
import { type Costs, DAILY, describeSize, sizeDeployment } from '../simulation/size-deployment.js';

const WORKERS = [1, 2, 4];
const EMAILS = Number(process.env.BENCH_SCALING_EMAILS ?? 20_000);

/** Delivered by 1, 2 and 4 worker processes on each engine, what each part pays for an email, and what follows from it. */
export const scaling: Bench = {
  name: 'scaling',
  says: '1, 2 and 4 worker processes on each engine, the CPU of every part, and the sizes that follow',
  run: (context) =>
    withEachEngine(context, async (engine) => {
      const runs: Run[] = [];
      for (const workers of WORKERS) runs.push(await runWorkers(context, engine, workers));
      return [...runs.map(rateOf), ...sizesOf(engine.name, runs)];
    }),
};

interface Run extends Costs {
  engine: string;
  workers: number;
  sinkUs: number;
  /** Of all cores there are, by everybody who worked on it. */
  busiest: string;
}

async function runWorkers(context: BenchContext, engine: EngineGround, count: number): Promise<Run> {
  const { openDatabase, progress } = context;
  const label = `${engine.name}, ${count} ${count === 1 ? 'worker' : 'workers'}`;
  const database = await openDatabase();
  const sink = await startSmtpSink();
  const emptyBytes = await sizeOf(database);
  try {
    const accepting = await measure(database, async () => {
      await acceptMany(database.url, EMAILS, (done) => progress(`${label}: ${done} of ${EMAILS} accepted`));
    });
    const delivering = await deliver(database, {
      engine,
      count,
      port: sink.port,
      sinkPid: sink.pid,
      label,
      progress,
    });
    return {
      ...{ engine: engine.name, workers: count },
      acceptUs: (accepting.ownCpu * 1e6) / EMAILS,
      acceptPostgresUs: (accepting.serverCpu * 1e6) / EMAILS,
      walBytes: accepting.walBytes / EMAILS + delivering.walBytes,
      storedBytes: ((await sizeOf(database)) - emptyBytes) / EMAILS,
      ...delivering.costs,
    };
  } finally {
    await sink.stop();
    await database.drop();
  }
}

interface Delivery {
  engine: EngineGround;
  count: number;
  port: number;
  sinkPid: number;
  label: string;
  progress(text: string): void;
}

/** From the first tenth to the last twentieth: neither the start nor the end, when workers run dry one by one, counts. */
async function deliver(database: BenchDatabase, { engine, count, port, sinkPid, label, progress }: Delivery) {
  progress(`${label}: delivering`);
  const settings = await engine.settingsForDatabase();
  const workers = await Promise.all(
    Array.from({ length: count }, () => spawnWorker({ database: database.url, smtpPort: port }, settings)),
  );
  try {
    const read = async () => ({
      at: performance.now(),
      ...(await total(workers)),
      server: (await serverCpuSeconds(database.client)) ?? 0,
      broker: engine.brokerCpuSeconds() ?? 0,
      sink: processCpuSeconds(sinkPid) ?? 0,
      wal: await walPosition(database),
    });
    await until(workers, EMAILS * 0.1);
    const before = await read();
    await until(workers, EMAILS * 0.95);
    const after = await read();
    await until(workers, EMAILS);
    const emails = after.settled - before.settled;
    const us = (seconds: number) => (seconds * 1e6) / emails;
    const spent = {
      worker: us((after.cpuMs - before.cpuMs) / 1000),
      PostgreSQL: us(after.server - before.server),
      broker: us(after.broker - before.broker),
      sink: us(after.sink - before.sink),
    };
    const [busiest = ''] = Object.entries(spent).sort((a, b) => b[1] - a[1])[0] ?? [];
    return {
      walBytes: (after.wal - before.wal) / emails,
      costs: {
        ...{ workerUs: spent.worker, deliverPostgresUs: spent.PostgreSQL, brokerUs: spent.broker },
        ...{ sinkUs: spent.sink, busiest },
        measuredPerSecond: (emails / (after.at - before.at)) * 1000,
      },
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop()));
  }
}

async function total(workers: readonly BenchWorker[]): Promise<{ settled: number; cpuMs: number }> {
  const each = await Promise.all(workers.map((worker) => worker.ask({ do: 'usage' }, 'usage')));
  const sum = (pick: (usage: (typeof each)[number]) => number) =>
    each.reduce((all, one) => all + pick(one), 0);
  return { settled: sum((usage) => usage.settled), cpuMs: sum((usage) => usage.cpuMs) };
}

async function until(workers: readonly BenchWorker[], settled: number): Promise<void> {
  const startedAt = performance.now();
  while ((await total(workers)).settled < settled) {
    if (performance.now() - startedAt > PATIENCE_MS) throw new Error(`not ${settled} settled in time`);
    await pause(20);
  }
}

const PATIENCE_MS = 240_000;

async function measure(database: BenchDatabase, work: () => Promise<void>) {
  const [serverBefore, walBefore] = [await serverCpuSeconds(database.client), await walPosition(database)];
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return {
    ownCpu: (user + system) / 1e6,
    serverCpu: ((await serverCpuSeconds(database.client)) ?? 0) - (serverBefore ?? 0),
    walBytes: (await walPosition(database)) - walBefore,
  };
}

async function sizeOf({ client }: BenchDatabase): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    'select pg_database_size(current_database()) as bytes',
  );
  return Number(rows[0]?.bytes ?? 0);
}

async function walPosition({ client }: BenchDatabase): Promise<number> {
  const { rows } = await client.query<{ bytes: string }>(
    `select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0') as bytes`,
  );
  return Number(rows[0]?.bytes ?? 0);
}

function rateOf(run: Run): Figure {
  const broker = run.brokerUs > 0 ? `, broker ${Math.round(run.brokerUs)}` : '';
  return {
    what: `${run.engine}, ${run.workers} ${run.workers === 1 ? 'worker' : 'workers'}`,
    value: run.measuredPerSecond,
    unit: 'emails/s',
    note: `CPU µs an email: worker ${Math.round(run.workerUs)}, PostgreSQL ${Math.round(run.deliverPostgresUs)}${broker}, sink ${Math.round(run.sinkUs)}; most: ${run.busiest}`,
  };
}

/** From the fastest run of an engine; its costs hold where one process did not wait for another's core. */
function sizesOf(engine: string, runs: readonly Run[]): Figure[] {
  const best = runs.reduce((fastest, run) =>
    run.measuredPerSecond > fastest.measuredPerSecond ? run : fastest,
  );
  return DAILY.map((perDay) => {
    const size = sizeDeployment(perDay, best);
    return {
      what: `${engine}, ${perDay.toLocaleString('en')} a day`,
      value: size.peakPerSecond,
      unit: 'emails/s at the peak',
      note: describeSize(size),
    };
  });
}
