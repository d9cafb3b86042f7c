import type pg from 'pg';
import { createClaimer } from '../../src/outbox/index.js';
import { openDatabase as openStore } from '../../src/store/index.js';
import type { Bench } from '../bench.js';
import { fillQueue } from '../ground/fill-queue.js';
import { quantile } from '../ground/quantiles.js';

const MILLION = 1_000_000;
const TENANTS = 5000;
const CLAIMS = 400;
const BATCH = 50;
const WORKER = 1;

/** Whether a claim costs the same however many wait. */
export const claimDepth: Bench = {
  name: 'claim-depth',
  says: `claims of ${BATCH} rows with 1,000 and with 1,000,000 waiting, ${TENANTS} tenants`,
  async run({ openDatabase, progress }) {
    const measure = async (title: string, fill: Fill): Promise<Depth> => {
      const { client, url, drop } = await openDatabase().then((database) => ({
        ...database,
        drop: () => database.client.query('truncate postrider.email_queue'),
      }));
      progress(`${title}: filling`);
      await fill(client);
      await client.query('vacuum analyze postrider.email_queue');
      progress(`${title}: ${CLAIMS} claims`);
      const depth = await timeClaims(url, client);
      await drop();
      return depth;
    };
    const shallow = await measure('1,000', (client) => fillQueue(client, { count: 1000, tenants: 1000 }));
    const deep = await measure('1,000,000', (client) =>
      fillQueue(client, { count: MILLION, tenants: TENANTS }),
    );
    const behind = await measure('1,000 behind a paused route’s million', async (client) => {
      await fillQueue(client, { count: MILLION, tenants: TENANTS, route: 'a-paused-route' });
      await fillQueue(client, { count: 1000, tenants: 1000 });
    });
    const one = await measure('1,000,000 of one tenant', async (client) => {
      await fillQueue(client, { count: MILLION, tenants: 1 });
    });
    return [
      {
        what: 'claim with 1,000 waiting, p50',
        value: shallow.p50,
        unit: 'ms',
        design: '0.5 ms',
        note: `${BATCH} rows of as many tenants; p99 ${shallow.p99.toFixed(1)} ms`,
      },
      {
        what: 'claim with 1,000,000 waiting, p50',
        value: deep.p50,
        unit: 'ms',
        note: `p99 ${deep.p99.toFixed(1)} ms`,
      },
      { what: 'ratio of the two, p50', value: deep.p50 / shallow.p50, unit: '×', target: { atMost: 1.3 } },
      { what: 'ratio of the two, p99', value: deep.p99 / shallow.p99, unit: '×' },
      {
        what: 'ratio behind a paused route’s million, p50',
        value: behind.p50 / shallow.p50,
        unit: '×',
        target: { atMost: 1.3 },
        note: `${behind.p50.toFixed(2)} ms; p99 ${behind.p99.toFixed(1)} ms`,
      },
      {
        what: 'claim with a million of one tenant, p50',
        value: one.p50,
        unit: 'ms',
        note: `p99 ${one.p99.toFixed(1)} ms`,
      },
      {
        what: `claimed rows/s with ${TENANTS} tenants, a million waiting`,
        value: deep.rowsPerSecond,
        unit: 'rows/s',
        design: '56,500 rows/s',
        note: 'batches of 300, one connection',
      },
    ];
  },
};

type Fill = (client: pg.Client) => Promise<void>;

interface Depth {
  p50: number;
  p99: number;
  rowsPerSecond: number;
}

/** After each claim what it took is deleted and as many rows come in, so that the depth stays. */
async function timeClaims(url: string, client: pg.Client): Promise<Depth> {
  const store = await openStore(url, {});
  const claimer = createClaimer(store, { route: 'default', worker: () => WORKER });
  const samples: number[] = [];
  const timeOne = async (limit: number): Promise<{ ms: number; rows: number }> => {
    const started = performance.now();
    const claims = await claimer.claim(limit, []);
    const ms = performance.now() - started;
    await client.query(
      `with gone as (
         delete from postrider.email_queue where id = any ($1::uuid[]) returning tenant, route, priority
       )
       insert into postrider.email_queue (id, bytes, max_attempts, priority, ready, bell, route, tenant)
       select postrider.new_id(), 5000, 5, priority, true, false, route, tenant from gone`,
      [claims.map((claim) => claim.id)],
    );
    return { ms, rows: claims.length };
  };
  for (let warm = 0; warm < 20; warm++) await timeOne(BATCH);
  for (let claim = 0; claim < CLAIMS; claim++) samples.push((await timeOne(BATCH)).ms);
  let rows = 0;
  let ms = 0;
  for (let claim = 0; claim < 40; claim++) {
    const one = await timeOne(300);
    rows += one.rows;
    ms += one.ms;
  }
  await store.close();
  return { p50: quantile(samples, 0.5), p99: quantile(samples, 0.99), rowsPerSecond: rows / (ms / 1000) };
}
