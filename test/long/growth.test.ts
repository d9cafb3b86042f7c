import type pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { compareShape, fillGrowth, GROWTH_EMAILS, growthSize } from '../../bench/ground/fill-growth.js';
import { type GrowthCost, measureGrowth } from '../../bench/ground/measure-growth.js';
import { type Journey, openJourney } from '../journey/ground/open-journey.js';
import { describeWith } from '../services/index.js';

/** The short form of `npm run bench -- growth`: ten thousand emails and ten times as many, nothing analysed by hand. */
describeWith('postgres')('cost with ten times as many emails, people and tenants', () => {
  const opened: Array<{ journey: Journey; client: pg.PoolClient }> = [];
  const open = async () => {
    const journey = await openJourney();
    const client = await journey.pool.connect();
    opened.push({ journey, client });
    return { journey, client };
  };
  afterAll(async () => {
    for (const { journey, client } of opened) {
      client.release(true);
      await journey.close();
    }
  });

  const costs: GrowthCost[][] = [];
  beforeAll(async () => {
    for (const emails of [10_000, 100_000]) {
      const { journey, client } = await open();
      const size = growthSize(emails);
      await fillGrowth(client, size);
      if (emails === 10_000) {
        const real = await open();
        await real.journey.postrider.sendBatch(GROWTH_EMAILS);
        await real.journey.postrider.start();
        await real.journey.untilEmpty(60_000);
        expect(await compareShape(real.client, client)).toEqual([]);
      }
      costs.push(await measureGrowth({ url: journey.url, client, size, rounds: 10 }));
    }
  }, 600_000);

  test('reads and work → none grows as the log does', () => {
    const grown = costs[0]!.map(({ what, cost }, at) => ({ what, before: cost, after: costs[1]![at]!.cost }));
    expect(grown.length).toBeGreaterThan(15);
    // What takes a few milliseconds is noise on a busy machine; what reads the log takes ten times as long.
    const bad = grown.filter(({ before, after }) => after > 20 && after > before * 5);
    expect(bad).toEqual([]);
  });
});
