import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { createHttpApp } from '../../src/doors/http/index.js';
import { httpRooms } from '../../src/http-rooms.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { forgetOldTallies, prune, tallyEnds } from '../../src/outbox/index.js';
import { readAudiencePage } from '../../src/recipients/audience.js';
import { listContacts } from '../../src/recipients/contacts/read-contacts.js';
import { findUnknownRecipients } from '../../src/recipients/find-recipients.js';
import { findMarks, setMarks } from '../../src/schedules/runs/marks.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import { groupDeadLetters, listUserEmails, readEmailStats, readUsage } from '../../src/views/index.js';
import { GROWTH, type GrowthSize, makePastWeeks } from './fill-growth.js';
import { openSender } from './open-sender.js';
import { quantile } from './quantiles.js';

/** The cost of one thing at one size: a read in ms, or work in µs for each row it handled. */
export interface GrowthCost {
  /** The row of the table in docs/BENCHMARKS.md. */
  row: number;
  what: string;
  unit: 'ms' | 'µs a row' | 'MB';
  cost: number;
}

export interface MeasureOptions {
  url: string;
  client: pg.ClientBase;
  size: GrowthSize;
  rounds?: number;
  progress?(what: string): void;
}

/** Measures work first, since its rows are what reads add up, and retention last, since it removes them. */
export async function measureGrowth({
  url,
  client,
  size,
  rounds = 20,
  progress = () => {},
}: MeasureOptions): Promise<GrowthCost[]> {
  const costs: GrowthCost[] = [];
  const database = await openDatabase(url, {});
  const work = async (row: number, what: string, run: () => Promise<number>) => {
    progress(what);
    const started = performance.now();
    const handled = await run();
    costs.push({ row, what, unit: 'µs a row', cost: ((performance.now() - started) * 1000) / handled });
  };
  await work(4, 'the first count of the log, each end', async () => tallied(database, client));
  await work(5, 'marks of a campaign, each person', () => markEveryone(database, client));
  const sender = openSender(url);
  const app = createHttpApp({
    ...{ rooms: httpRooms(sender), logger: silentLogger, clock: systemClock, bodyLimitBytes: 1024 ** 2 },
  });
  const ask = async (path: string) => {
    const answer = await app.request(path, {}, { remoteAddress: '127.0.0.1' });
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    await answer.arrayBuffer();
  };
  for (const [row, what, read] of readsOf({ database, client, size, ask, sender })) {
    progress(what);
    const samples: number[] = [];
    // Past the fifth time the server keeps its plans.
    for (let round = -7; round < rounds; round++) {
      const started = performance.now();
      await read();
      if (round >= 0) samples.push(performance.now() - started);
    }
    costs.push({ row, what, unit: 'ms', cost: quantile(samples, 0.5) });
  }
  await sender.stop();
  const { rows } = await client.query<{ tallies: number }>(
    'select count(*)::float8 as tallies from postrider.email_tallies',
  );
  progress(`${rows[0]!.tallies} rollup rows`);
  await work(3, 'retention of a day of bodies, each', () => pruned(database, client));
  await database.close();
  return costs.sort((a, b) => a.row - b.row);
}

/** A page of the log with so many weeks in it, of which the latest have emails. */
export async function measureWeeks({
  url,
  client,
  weeks,
  rounds = 20,
}: {
  url: string;
  client: pg.ClientBase;
  weeks: number;
  rounds?: number;
}): Promise<GrowthCost[]> {
  // Locks of one transaction: four tables of each week, and their indexes.
  for (let made = 9; made < weeks; made += 26) await makePastWeeks(client, Math.min(made + 26, weeks));
  const sender = openSender(url);
  const app = createHttpApp({
    ...{ rooms: httpRooms(sender), logger: silentLogger, clock: systemClock, bodyLimitBytes: 1024 ** 2 },
  });
  const costs: GrowthCost[] = [];
  for (const path of ['/v1/emails?limit=50', '/admin/emails', '/admin/emails?status=failed']) {
    const samples: number[] = [];
    for (let round = -7; round < rounds; round++) {
      const started = performance.now();
      const answer = await app.request(path, {}, { remoteAddress: '127.0.0.1' });
      if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`);
      await answer.arrayBuffer();
      if (round >= 0) samples.push(performance.now() - started);
    }
    costs.push({ row: 14, what: path, unit: 'ms', cost: quantile(samples, 0.5) });
  }
  const [backend] = await backendBytes(client, url);
  costs.push({ row: 14, what: 'memory of the largest connection', unit: 'MB', cost: backend! / 1024 ** 2 });
  await sender.stop();
  return costs;
}

/** Anonymous memory of the other backends of this database, the largest first; Linux alone says it. */
async function backendBytes(client: pg.ClientBase, url: string): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = $1 and pid <> pg_backend_pid()',
    [new URL(url).pathname.slice(1)],
  );
  const sizes = rows.map(({ pid }) => {
    const anonymous = /^RssAnon:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(anonymous?.[1] ?? 0) * 1024;
  });
  return sizes.sort((a, b) => b - a);
}

type Read = [row: number, what: string, read: () => Promise<unknown>];

interface ReadsOf {
  database: Database;
  client: pg.ClientBase;
  size: GrowthSize;
  sender: ReturnType<typeof openSender>;
  ask(path: string): Promise<void>;
}

function readsOf({ database, size, ask, client, sender }: ReadsOf): Read[] {
  let person = 0;
  const somebody = () => {
    person = (person + 7919) % size.people;
    return person + 1;
  };
  const day = new Date();
  const moment = {
    ...{ slot: day, weekday: 1, dayStart: day, dayBeforeStart: day, weekStart: day },
    zone: { allBut: ['Asia/Seoul', 'Europe/Rome'] },
  };
  const keeper = { tenant: GROWTH.tenant, hashKey: 'key' } as unknown as Parameters<typeof listContacts>[1];
  return [
    [
      1,
      'a person named by the application’s id',
      () => {
        const n = somebody();
        const name = { recipientId: null, externalId: `user-${n}`, tenant: GROWTH.tenant };
        return findUnknownRecipients(database, [{ ...name, email: `person-${n}@example.com` }]);
      },
    ],
    [2, 'a page of the log', () => ask('/admin/emails')],
    [2, 'a page of the dashboard, failed', () => ask('/v1/emails?limit=50&status=failed')],
    [
      2,
      'statistics of a week',
      () => readEmailStats(database, { since: new Date(Date.now() - 7 * 86_400_000) }),
    ],
    [
      6,
      'dead letters in groups, of seven days',
      () => groupDeadLetters(database, { since: new Date(Date.now() - 7 * 86_400_000) }),
    ],
    [6, 'dead letters of an absent code', () => groupDeadLetters(database, { errorCode: 'absent' })],
    [
      7,
      'statistics of a recipient with 1,000 emails',
      () => readEmailStats(database, { recipients: [GROWTH.heavyRecipient] }),
    ],
    [
      7,
      'a page of a user with a tenth of the log',
      () =>
        listUserEmails(database, { tenant: GROWTH.tenant, userId: GROWTH.heavyUser }, { page: 1, limit: 20 }),
    ],
    [8, 'a page of quotas', () => sender.quotas.list()],
    [8, 'a page of tenants', () => sender.access.tenants.list()],
    [
      10,
      'contacts of a segment of twenty',
      async () => {
        const { rows } = await client.query<{ id: string }>('select id from postrider.segments limit 1');
        return listContacts(database, keeper, {
          ...{ limit: 15, segmentId: rows[0]!.id, after: null, before: null },
        });
      },
    ],
    [12, 'usage of a tenant with half the log', () => readUsage(database, GROWTH.tenant)],
    [15, 'retention of rollups, none old', () => forgetOldTallies(database, 3650)],
    [
      16,
      'nobody lives elsewhere',
      () => readAudiencePage(database, {}, { moment, cursor: null, limit: 100, activitySince: null }),
    ],
  ];
}

async function tallied(database: Database, client: pg.ClientBase): Promise<number> {
  await tallyEnds(database, { behindMs: 0 });
  const { rows } = await client.query<{ ends: number }>(
    'select sum(count)::float8 as ends from postrider.email_tallies',
  );
  return rows[0]!.ends;
}

async function markEveryone(database: Database, client: pg.ClientBase): Promise<number> {
  let cursor: string | null = null;
  let done = 0;
  for (;;) {
    const { rows }: { rows: Array<{ id: string }> } = await client.query(
      'select id from postrider.recipients where $1::uuid is null or id > $1 order by id limit 100',
      [cursor],
    );
    if (rows.length === 0) return done;
    const ids = rows.map(({ id }) => id);
    await database.transaction(async (tx) => {
      await findMarks(tx, GROWTH.schedule, ids);
      await setMarks(tx, GROWTH.schedule, ids, new Date());
    });
    done += rows.length;
    cursor = ids.at(-1)!;
  }
}

/** One week cannot be dropped because one of its emails still waits; the rest of it goes row by row. */
async function pruned(database: Database, client: pg.ClientBase): Promise<number> {
  await client.query(
    `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant)
     select id, 1, 3, false, false, 'default', tenant from postrider.emails
     where id > postrider.id_floor(date_trunc('week', now() - interval '35 days')) order by id limit 1`,
  );
  const { rowsDeleted } = await prune(database, { contentDays: 27, logDays: 90 });
  if (rowsDeleted === 0) throw new Error('retention found nothing to remove');
  return rowsDeleted;
}
