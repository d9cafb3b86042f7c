import type pg from 'pg';
import { type Claimer, createClaimer } from '../../src/outbox/index.js';
import { openDatabase as openStore } from '../../src/store/index.js';
import type { Bench, BenchContext } from '../bench.js';
import { fillQueue } from '../ground/fill-queue.js';
import { quantile } from '../ground/quantiles.js';

const MILLION = 1_000_000;
const TENANTS = 5000;
const WARM = 20;
const FRESH_CLAIMS = 200;
const CLAIMS = 400;
const BATCH = 50;
const LARGE_CLAIMS = 40;
const LARGE_BATCH = 300;

/** Whether a claim costs the same however many wait. The depths take turns, so that all meet the same machine. */
export const claimDepth: Bench = {
  name: 'claim-depth',
  says: `claims of ${BATCH} rows with 1,000 and with 1,000,000 waiting, ${TENANTS} tenants`,
  async run(context) {
    const { progress } = context;
    const shallow = await openDepth(context, '1,000', (client) =>
      fillQueue(client, { count: 1000, tenants: 1000 }),
    );
    const deep = await openDepth(context, '1,000,000', (client) =>
      fillQueue(client, { count: MILLION, tenants: TENANTS }),
    );
    const behind = await openDepth(context, '1,000 behind a paused route’s million', async (client) => {
      await fillQueue(client, { count: MILLION, tenants: TENANTS, route: 'a-paused-route' });
      await fillQueue(client, { count: 1000, tenants: 1000 });
    });
    const single = await openDepth(context, '1,000,000 of one tenant', (client) =>
      fillQueue(client, { count: MILLION }),
    );
    const depths = [shallow, deep, behind, single];
    for (let claim = -WARM; claim < CLAIMS; claim++) {
      for (const depth of depths) await claimOnce(depth, BATCH, claim >= 0);
      if (claim % 100 === 99) progress(`${claim + 1} of ${CLAIMS} claims at each depth`);
    }
    const rate = await claimRate(deep);
    for (const depth of depths) await depth.close();
    return [
      {
        what: 'claim with 1,000 waiting, p50',
        value: quantile(shallow.samples, 0.5),
        unit: 'ms',
        design: '0.5 ms',
        note: `${BATCH} rows of as many tenants, commit included; ${p99(shallow)}`,
      },
      {
        what: 'claim with 1,000,000 waiting, p50',
        value: quantile(deep.samples, 0.5),
        unit: 'ms',
        note: p99(deep),
      },
      { what: 'ratio of the two, p50', value: ratio(deep, shallow), unit: '×', target: { atMost: 1.3 } },
      {
        what: 'ratio right after the million came in, p50',
        value: quantile(deep.fresh, 0.5) / quantile(shallow.fresh, 0.5),
        unit: '×',
        target: { atMost: 1.3 },
        note: `${quantile(deep.fresh, 0.5).toFixed(2)} against ${quantile(shallow.fresh, 0.5).toFixed(2)} ms, one after the other`,
      },
      {
        what: 'ratio behind a paused route’s million, p50',
        value: ratio(behind, shallow),
        unit: '×',
        target: { atMost: 1.3 },
        note: p99(behind),
      },
      {
        what: 'ratio with a million of one tenant, p50',
        value: ratio(single, shallow),
        unit: '×',
        note: p99(single),
      },
      {
        what: `claimed rows/s with ${TENANTS} tenants, a million waiting`,
        value: rate,
        unit: 'rows/s',
        design: '56,500 rows/s',
        note: `batches of ${LARGE_BATCH}, one connection`,
      },
    ];
  },
};

interface Depth {
  claimer: Claimer;
  client: pg.Client;
  /** Right after the rows came in, while the server still works on them. */
  fresh: number[];
  samples: number[];
  close(): Promise<void>;
}

async function openDepth(
  { openDatabase, progress }: BenchContext,
  title: string,
  fill: (client: pg.Client) => Promise<void>,
): Promise<Depth> {
  const { client, url } = await openDatabase();
  progress(`filling: ${title}`);
  await fill(client);
  // What the filling left to write would be waited for by the claims' commits.
  await client.query('checkpoint');
  const store = await openStore(url, {});
  const claimer = createClaimer(store, { route: 'default', worker: () => 1 });
  const depth: Depth = { claimer, client, fresh: [], samples: [], close: () => store.close() };
  for (let claim = -WARM; claim < FRESH_CLAIMS; claim++) {
    const { ms } = await claimOnce(depth, BATCH, false);
    if (claim >= 0) depth.fresh.push(ms);
  }
  return depth;
}

/** After a claim what it took is deleted and as many rows come in, so that the depth stays. */
async function claimOnce(
  depth: Depth,
  limit: number,
  counts: boolean,
): Promise<{ ms: number; rows: number }> {
  const started = performance.now();
  const claims = await depth.claimer.claim(limit, []);
  const ms = performance.now() - started;
  if (counts) depth.samples.push(ms);
  await depth.client.query(REPLACE, [claims.map((claim) => claim.id)]);
  return { ms, rows: claims.length };
}

async function claimRate(depth: Depth): Promise<number> {
  let rows = 0;
  let ms = 0;
  for (let claim = 0; claim < LARGE_CLAIMS; claim++) {
    const one = await claimOnce(depth, LARGE_BATCH, false);
    rows += one.rows;
    ms += one.ms;
  }
  return rows / (ms / 1000);
}

function ratio(depth: Depth, base: Depth): number {
  return quantile(depth.samples, 0.5) / quantile(base.samples, 0.5);
}

function p99({ samples }: Depth): string {
  return `p99 ${quantile(samples, 0.99).toFixed(1)} ms`;
}

const REPLACE = `
  with gone as (
    delete from postrider.email_queue where id = any ($1::uuid[]) returning tenant, route, priority
  )
  insert into postrider.email_queue (id, bytes, max_attempts, priority, ready, bell, route, tenant)
  select postrider.new_id(), 5000, 5, priority, true, false, route, tenant from gone`;
