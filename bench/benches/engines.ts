import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { waitFor } from '../../test/services/wait-for.js';
import type { Bench, BenchContext, Figure } from '../bench.js';
import type { BenchDatabase } from '../ground/bench-server.js';
import { type EngineGround, withEachEngine } from '../ground/engine-ground.js';
import { cloneEmail } from '../ground/fill-queue.js';
import { acceptMany, openSender } from '../ground/open-sender.js';
import { median } from '../ground/quantiles.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { startSmtpSink } from '../ground/smtp-sink.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const EMAILS = 20_000;
const WARM = 2000;
const KILLS = 3;
/** More than two workers send while the kills last. */
const BACKLOG = 100_000;
/** Long enough that a claimed row is usually in the middle of its attempt. */
const SEND_MS = 5;

/** What a broker costs and what it changes when a worker dies, each engine in the same run. */
export const engines: Bench = {
  name: 'engines',
  says: 'each engine in one run: emails delivered to smtp-sink by one worker, and what a SIGKILL and a SIGSTOP of one of two cost',
  async run(context) {
    const sink = await startSmtpSink();
    try {
      return await withEachEngine(context, async (engine) => [
        await deliver(engine, sink.port, context),
        await recover(engine, context),
        await freeze(engine, context),
      ]);
    } finally {
      await sink.stop();
    }
  },
};

async function deliver(
  engine: EngineGround,
  smtpPort: number,
  { openDatabase, progress }: BenchContext,
): Promise<Figure> {
  const database = await openDatabase();
  await acceptMany(database.url, EMAILS, (done) => progress(`${engine.name}: ${done} of ${EMAILS} accepted`));
  progress(`${engine.name}: the worker runs`);
  const worker = await spawnWorker({ database: database.url, smtpPort }, await engine.settingsForDatabase());
  const warm = await worker.ask({ do: 'expect', settled: WARM }, 'reached');
  const before = await worker.ask({ do: 'usage' }, 'usage');
  const end = await worker.ask({ do: 'expect', settled: EMAILS }, 'reached');
  const after = await worker.ask({ do: 'usage' }, 'usage');
  await worker.stop();
  const micros = ((after.cpuMs - before.cpuMs) * 1000) / (after.settled - before.settled);
  return {
    what: `${engine.name}: delivered`,
    value: (end.settled - warm.settled) / ((end.at - warm.at) / 1000),
    unit: 'emails/s',
    note: `${Math.round(micros)} µs of the worker's CPU an email`,
  };
}

async function openBacklog({ openDatabase }: BenchContext): Promise<BenchDatabase> {
  const database = await openDatabase();
  const sender = openSender(database.url);
  const { emailId } = await sender.send(sampleEmails(1)[0]!);
  await sender.stop();
  await cloneEmail(database.client, emailId, BACKLOG);
  return database;
}

async function recover(engine: EngineGround, context: BenchContext): Promise<Figure> {
  const { progress } = context;
  const database = await openBacklog(context);
  const options = { database: database.url, sendMs: SEND_MS };
  const settings = await engine.settingsForDatabase();
  const survivor = await spawnWorker(options, settings);
  const runs: Array<{ held: number; ms: number }> = [];
  for (let kill = 1; kill <= KILLS; kill++) {
    progress(`${engine.name}: kill ${kill} of ${KILLS}`);
    const victim = await spawnWorker(options, settings);
    await victim.ask({ do: 'expect', settled: 1000 }, 'reached');
    await untilBusy(database.client, victim.pid);
    const killedAt = performance.now();
    await victim.kill();
    const held = await untilTaken(database.client, victim.pid);
    runs.push({ held, ms: performance.now() - killedAt });
  }
  await survivor.stop();
  return {
    what: `${engine.name}: last row of a killed worker claimed again, median`,
    value: median(runs.map((run) => run.ms)) / 1000,
    unit: 's',
    note: `${KILLS} kills, ${median(runs.map((run) => run.held))} rows held (median)`,
  };
}

/** What the other of two workers delivers while one is stopped: after a second, when bells begin to count as slow, and before it is dead. */
async function freeze(engine: EngineGround, context: BenchContext): Promise<Figure> {
  context.progress(`${engine.name}: one of two is frozen`);
  const database = await openBacklog(context);
  const options = { database: database.url, sendMs: SEND_MS };
  const settings = await engine.settingsForDatabase();
  const [other, frozen] = [await spawnWorker(options, settings), await spawnWorker(options, settings)];
  await frozen.ask({ do: 'expect', settled: 2000 }, 'reached');
  process.kill(frozen.pid, 'SIGSTOP');
  await pause(FROZEN_MS.from);
  const before = await other.ask({ do: 'usage' }, 'usage');
  await pause(FROZEN_MS.to - FROZEN_MS.from);
  const after = await other.ask({ do: 'usage' }, 'usage');
  await frozen.kill();
  await other.stop();
  return {
    what: `${engine.name}: delivered by the other while one of two is frozen`,
    value: (after.settled - before.settled) / ((FROZEN_MS.to - FROZEN_MS.from) / 1000),
    unit: 'emails/s',
    note: `${SEND_MS} ms an email, without SMTP`,
  };
}

const FROZEN_MS = { from: 1500, to: 8000 };

/** A worker that happens to hold nothing has nothing to lose. */
async function untilBusy(client: pg.Client, pid: number): Promise<void> {
  const busy = async () => {
    const { rows } = await client.query(
      `select 1 from postrider.email_queue q join postrider.workers w on w.id = q.owner
       where w.pid = $1 and q.begun limit 1`,
      [pid],
    );
    return rows.length > 0;
  };
  await waitFor(busy, { timeoutMs: 30_000, what: 'emails in the hands of the victim', everyMs: 1 });
}

/** Returns how many rows the dead one held, when each of them is in other hands or done. */
async function untilTaken(client: pg.Client, pid: number): Promise<number> {
  const { rows } = await client.query<{ id: string; owner: number }>(
    `select q.id, q.owner from postrider.email_queue q join postrider.workers w on w.id = q.owner where w.pid = $1`,
    [pid],
  );
  const waiting = async () => {
    const left = await client.query(
      `select 1 from postrider.email_queue where id = any ($1::uuid[]) and (owner is null or owner = $2) limit 1`,
      [rows.map((row) => row.id), rows[0]?.owner ?? 0],
    );
    return left.rows.length === 0;
  };
  await waitFor(waiting, { timeoutMs: 60_000, what: 'its rows to be claimed again', everyMs: 5 });
  return rows.length;
}
