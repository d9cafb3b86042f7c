import { afterAll, beforeAll, expect, test } from 'vitest';
import { createClaimer } from '../../src/outbox/claim-batch.js';
import { takeStatement } from '../../src/outbox/take-fairly.js';
import { openDatabase } from '../../src/store/index.js';
import { describeWith, waitFor } from '../services/index.js';
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

  /** What a claim took, by the tenant and the place of each row among those of its tenant. */
  async function claimed(limit: number): Promise<string[]> {
    const store = await openDatabase(journey.url, {});
    try {
      const claims = await createClaimer(store, { route: 'default', worker: () => 1 }).claim(limit, []);
      const { rows } = await journey.pool.query(
        `select tenant || ' ' || place as row from (
           select id, tenant, row_number() over (partition by tenant order by id) as place from postrider.email_queue
         ) q where id = any ($1::uuid[]) order by 1`,
        [claims.map((claim) => claim.id)],
      );
      return rows.map(({ row }) => row);
    } finally {
      await store.close();
    }
  }

  test('a row of each is wanted and another holds one tenant’s first → the next of that tenant', async () => {
    await journey.pool.query('truncate postrider.email_queue');
    await fill('chr(97 + n % 3)', 9);
    const other = await journey.pool.connect();
    try {
      await other.query('begin');
      const first = "select id from postrider.email_queue where tenant = 'b' order by id limit 1";
      await other.query(`${first} for update`);
      expect(await claimed(3)).toEqual(['a 1', 'b 2', 'c 1']);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });

  test('more than one of each is wanted → the oldest of each, none twice', async () => {
    await journey.pool.query('truncate postrider.email_queue');
    await fill('chr(97 + n % 3)', 30);
    // One of each at first; then, there being three, three more of each.
    const places = ['a', 'b', 'c'].flatMap((tenant) => [1, 2, 3, 4].map((n) => `${tenant} ${n}`));
    expect(await claimed(12)).toEqual(places);
  });

  test('few are wanted at a time, and the list ends amid a batch → nobody is passed over', async () => {
    await journey.pool.query('truncate postrider.email_queue');
    await fill('chr(97 + n % 7)', 70);
    const store = await openDatabase(journey.url, {});
    const claimer = createClaimer(store, { route: 'default', worker: () => 1 });
    const tenants: Array<string | undefined> = [];
    for (let n = 0; n < 14; n++) tenants.push(...(await claimer.claim(5, [])).map(({ tenant }) => tenant));
    await store.close();
    expect(tenants).toHaveLength(70);
    for (let n = 1; n <= 10; n++) {
      // After n turns of seven everyone had n, one more or one less.
      const had = tenants.slice(0, n * 7);
      for (const tenant of 'abcdefg') {
        const count = had.filter((one) => one === tenant).length;
        expect([n, tenant, Math.abs(count - n) <= 1]).toEqual([n, tenant, true]);
      }
    }
  });

  test('another moves the row to a route of its own after it was found → not taken', async () => {
    await journey.pool.query('truncate postrider.email_queue');
    await fill("'a'", 1);
    const { text } = takeStatement({ name: 'claim', set: 'owner = $7::int', returning: 'q.id' });
    // Time between finding and locking.
    const slow = text.replace(
      'where turn.tenant <>',
      'where pg_sleep(length(turn.tenant)) is not null and turn.tenant <>',
    );
    expect(slow).not.toBe(text);
    const claiming = journey.pool.query(slow, ['default', 3, '', 10, 10, [], 1]);
    await waitFor(
      async () => {
        const { rows } = await journey.pool.query(
          "select 1 from pg_stat_activity where wait_event = 'PgSleep' and datname = current_database()",
        );
        return rows.length > 0;
      },
      { timeoutMs: 5000, what: 'the claim to be between the two' },
    );
    await journey.pool.query("update postrider.email_queue set route = 'another'");
    const { rows } = await claiming;
    expect(rows.map((row) => row.id)).toEqual([null]);
  });
});
