import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeStatement } from '../../src/outbox/take-fairly.js';
import { describeWith } from '../services/index.js';
import { type Journey, openJourney } from './ground/open-journey.js';

/** A flood of one tenant, of which PostgreSQL has counted the rows, and others that came since. No worker runs. */
describeWith('postgres')('claiming behind a flood', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
  });
  afterAll(() => journey.close());

  const fill = (tenant: string, count: number) =>
    journey.pool.query(
      `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant)
       select postrider.new_id(), 5, 3, true, false, 'default', ${tenant} from generate_series(1, $1::int) n`,
      [count],
    );

  test('fifty tenants came after it was counted → read by their places in the index, not among all', async () => {
    await fill("'a'", 50_000);
    await journey.pool.query('analyze postrider.email_queue');
    await fill("'b' || n % 50", 500);
    const { text } = takeStatement({ name: 'claim', set: 'owner = $7::int', returning: 'q.id' });
    const client = await journey.pool.connect();
    try {
      await client.query('begin');
      await client.query('set local plan_cache_mode = force_custom_plan');
      await client.query(`prepare claim (text, smallint, text, int, int, text[], int) as ${text}`);
      const { rows } = await client.query(
        "explain (analyze, buffers, format json) execute claim ('default', 3, '', 500, 10, '{}', 1)",
      );
      const { Plan } = rows[0]['QUERY PLAN'][0];
      expect(Plan['Actual Rows']).toBe(500);
      // Some fourteen pages a row; among all it would be more than two million.
      expect(Plan['Shared Hit Blocks'] + Plan['Shared Read Blocks']).toBeLessThan(50_000);
    } finally {
      await client.query('rollback');
      client.release(true);
    }
  });
});
