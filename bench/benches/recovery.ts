import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { waitFor } from '../../test/services/wait-for.js';
import type { Bench } from '../bench.js';
import { cloneEmail } from '../ground/fill-queue.js';
import { openSender } from '../ground/open-sender.js';
import { median } from '../ground/quantiles.js';
import { sampleEmails } from '../ground/sample-emails.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const REPEATS = 5;
const EMAILS = 150_000;
/** Long enough that a claimed row is usually in the middle of its attempt. */
const SEND_MS = 5;

/** How long a killed worker's emails wait for someone else. */
export const recovery: Bench = {
  name: 'recovery',
  says: 'two worker processes under load, one killed by SIGKILL, until its rows are claimed again',
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sender = openSender(database.url);
    const { emailId } = await sender.send(sampleEmails(1)[0]!);
    await sender.stop();
    progress(`filling ${EMAILS} rows`);
    await cloneEmail(database.client, emailId, EMAILS);
    const options = { database: database.url, sendMs: SEND_MS };
    const survivor = await spawnWorker(options);
    const runs: Recovery[] = [];
    for (let repeat = 1; repeat <= REPEATS; repeat++) {
      progress(`kill ${repeat} of ${REPEATS}`);
      const victim = await spawnWorker(options);
      await victim.ask({ do: 'expect', settled: 1000 }, 'reached');
      // Not at the moment a result was written.
      await pause(Math.random() * 100);
      const killedAt = performance.now();
      await victim.kill();
      runs.push(await watchRecovery(database.client, victim.pid, killedAt));
    }
    await survivor.stop();
    const all = (pick: (run: Recovery) => number) => runs.map(pick);
    const seconds = (ms: number) => ms / 1000;
    const held = `${median(all((r) => r.held))} rows held, ${median(all((r) => r.begun))} of them begun (medians)`;
    return [
      {
        what: 'rows given back, median',
        value: seconds(median(all((r) => r.givenBackMs))),
        unit: 's',
        target: { atMost: 2 },
        design: 'within 2 s',
        note: held,
      },
      {
        what: 'rows given back, longest',
        value: seconds(Math.max(...all((r) => r.givenBackMs))),
        unit: 's',
        target: { atMost: 2 },
        note: `${REPEATS} kills`,
      },
      {
        what: 'last row claimed again, median',
        value: seconds(median(all((r) => r.claimedMs))),
        unit: 's',
        target: { atMost: 2 },
        note: 'opened rows are tried in groups of half as many',
      },
      {
        what: 'last row claimed again, longest',
        value: seconds(Math.max(...all((r) => r.claimedMs))),
        unit: 's',
        target: { atMost: 2 },
      },
    ];
  },
};

interface Recovery {
  held: number;
  begun: number;
  givenBackMs: number;
  claimedMs: number;
}

/** The rows the dead worker held, and when each of them is in other hands or done. */
async function watchRecovery(client: pg.Client, pid: number, killedAt: number): Promise<Recovery> {
  const { rows: workers } = await client.query<{ id: number }>(
    'select id from postrider.workers where pid = $1 order by id desc limit 1',
    [pid],
  );
  const worker = workers[0]!.id;
  const { rows } = await client.query<{ id: string; begun: boolean; token: number }>(
    'select id, begun, token from postrider.email_queue where owner = $1',
    [worker],
  );
  const wait = (what: string, sql: string, values: unknown[]) =>
    waitFor(async () => (await client.query(sql, values)).rows[0].done, {
      timeoutMs: 60_000,
      what,
      everyMs: 5,
    });
  await wait(
    'the dead worker’s rows to be given back',
    'select not exists (select 1 from postrider.email_queue where owner = $1) as done',
    [worker],
  );
  const givenBackMs = performance.now() - killedAt;
  // Giving back raises the token by one, claiming again by one more.
  await wait(
    'the dead worker’s rows to be claimed again',
    `select not exists (
       select 1 from unnest($1::uuid[], $2::int[]) d(id, token)
       join postrider.email_queue q on q.id = d.id where q.token < d.token + 2
     ) as done`,
    [rows.map((row) => row.id), rows.map((row) => row.token)],
  );
  return {
    held: rows.length,
    begun: rows.filter((row) => row.begun).length,
    givenBackMs,
    claimedMs: performance.now() - killedAt,
  };
}
