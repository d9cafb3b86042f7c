import { setTimeout as pause } from 'node:timers/promises';
import type pg from 'pg';
import { waitFor } from '../../test/services/wait-for.js';
import type { Bench } from '../bench.js';
import { startCountingSink } from '../ground/counting-sink.js';
import { acceptMany } from '../ground/open-sender.js';
import { median } from '../ground/quantiles.js';
import { spawnWorker } from '../ground/spawn-worker.js';

const REPEATS = 5;
const EMAILS = 30_000;

/** What a crash may repeat: emails the server took whose result was not yet written. */
export const unsettled: Bench = {
  name: 'unsettled',
  says: 'emails sent but not settled when a worker under full load is killed by SIGKILL',
  async run({ openDatabase, progress }) {
    const database = await openDatabase();
    const sink = await startCountingSink();
    try {
      await acceptMany(database.url, EMAILS, (done) => progress(`${done} of ${EMAILS} accepted`));
      const options = { database: database.url, smtpPort: sink.port };
      const sent: number[] = [];
      const unknown: number[] = [];
      for (let repeat = 1; repeat <= REPEATS; repeat++) {
        progress(`kill ${repeat} of ${REPEATS}`);
        const victim = await spawnWorker(options);
        await victim.ask({ do: 'expect', settled: 2000 }, 'reached');
        // Not at the moment a result was written, which would find few of them open.
        await pause(Math.random() * 100);
        await victim.kill();
        await backendsGone(database.client);
        sent.push(await countUnsettled(database.client, [...sink.taken.keys()]));
        unknown.push(await countBegun(database.client));
      }
      const last = await spawnWorker(options);
      await emptied(database.client);
      await last.stop();
      const repeated = [...sink.taken.values()].filter((times) => times > 1).length;
      const lost = EMAILS - sink.taken.size;
      return [
        { what: 'sent but unsettled, median', value: median(sent), unit: 'emails', target: { atMost: 100 } },
        {
          what: 'sent but unsettled, most',
          value: Math.max(...sent),
          unit: 'emails',
          note: `${REPEATS} kills`,
        },
        {
          what: 'begun at the kill (→ OUTCOME_UNKNOWN), median',
          value: median(unknown),
          unit: 'emails',
          note: `most ${Math.max(...unknown)}`,
        },
        {
          what: 'received twice in the end',
          value: repeated,
          unit: 'emails',
          note: `of ${EMAILS.toLocaleString('en')}, after ${REPEATS} kills; each marked as a possible duplicate`,
        },
        { what: 'never received', value: lost, unit: 'emails', target: { atMost: 0 } },
      ];
    } finally {
      await sink.stop();
    }
  },
};

/** The dead process's statements have ended: what they wrote is now all there is. */
function backendsGone(client: pg.Client): Promise<unknown> {
  return waitFor(
    async () => {
      const { rows } = await client.query<{ count: number }>(
        `select count(*)::int from pg_stat_activity
         where datname = current_database() and application_name like 'postrider%'`,
      );
      return rows[0]!.count === 0;
    },
    { timeoutMs: 10_000, what: 'the dead worker’s sessions to end', everyMs: 5 },
  );
}

async function countUnsettled(client: pg.Client, received: string[]): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    `select count(*)::int from unnest($1::uuid[]) t(id)
     join postrider.email_queue q on q.id = t.id where q.owner is not null`,
    [received],
  );
  return rows[0]!.count;
}

async function countBegun(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ count: number }>(
    'select count(*)::int from postrider.email_queue where owner is not null and begun',
  );
  return rows[0]!.count;
}

function emptied(client: pg.Client): Promise<unknown> {
  return waitFor(
    async () => (await client.query('select 1 from postrider.email_queue limit 1')).rowCount === 0,
    {
      timeoutMs: 180_000,
      what: 'the queue to be empty',
      everyMs: 100,
    },
  );
}
