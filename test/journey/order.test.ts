import { afterEach, describe, expect, test } from 'vitest';
import type { EmailInput } from '../../src/index.js';
import { createClaimer } from '../../src/outbox/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** Who goes first when many wait. The backlog is accepted before the worker starts. */
describe('order on PostgreSQL', () => {
  let journey: Journey;
  afterEach(() => journey.close());

  async function accept(count: number, parts: Partial<EmailInput>): Promise<string[]> {
    const ids: string[] = [];
    while (ids.length < count) {
      const size = Math.min(500, count - ids.length);
      const batch = await journey.postrider.sendBatch(Array.from({ length: size }, () => anEmail(parts)));
      ids.push(...batch.map(({ emailId }) => emailId));
    }
    return ids;
  }

  const positions = (ids: string[]) => {
    const place = new Map(journey.provider.calls.map(({ id }, index) => [id, index]));
    return ids.map((id) => place.get(id) ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b);
  };

  test('one critical behind 400 low ones → among the first to go', async () => {
    journey = await openJourney();
    await accept(400, { priority: 4 });
    const critical = await accept(1, { priority: 1 });
    await journey.postrider.start();
    await journey.untilEmpty();
    expect(positions(critical)[0]).toBeLessThan(5);
  });

  test('a backlog of high and some low → about one in twenty is low from the beginning', async () => {
    journey = await openJourney({ config: { worker: { concurrency: 20, batchSize: 20 } } });
    await accept(1000, { priority: 2 });
    const low = await accept(100, { priority: 4 });
    await journey.postrider.start();
    await journey.untilEmpty();
    const among = (first: number) => positions(low).filter((place) => place < first).length;
    expect(among(400)).toBeGreaterThanOrEqual(12);
    expect(among(400)).toBeLessThanOrEqual(30);
    expect(among(1000)).toBeGreaterThanOrEqual(40);
    expect(among(1000)).toBeLessThanOrEqual(70);
  });

  test("one tenant's email behind another's 5,000 → among the first few hundred", async () => {
    journey = await openJourney();
    await accept(5000, { companyId: 'aaa-large' });
    const small = await accept(1, { companyId: 'zzz-small' });
    await journey.postrider.start();
    await journey.untilStatus(small[0]!, 'sent');
    expect(positions(small)[0]).toBeLessThan(400);
    await journey.postrider.pause('all');
  });

  test('twenty tenants with 20 each → none waits for another to be done', async () => {
    journey = await openJourney({ config: { worker: { concurrency: 20, batchSize: 20 } } });
    const tenants: string[][] = [];
    for (let i = 0; i < 20; i++) tenants.push(await accept(20, { companyId: `tenant-${i}` }));
    await journey.postrider.start();
    await journey.untilEmpty();
    for (const ids of tenants) {
      expect(positions(ids)[0]).toBeLessThan(80);
      expect(positions(ids).at(-1)).toBeGreaterThan(200);
    }
  });

  test('three times as many tenants as a batch holds → each is served once before any is served often', async () => {
    journey = await openJourney({ config: { worker: { concurrency: 20, batchSize: 20 } } });
    const tenants: string[][] = [];
    for (let i = 0; i < 60; i++) tenants.push(await accept(10, { companyId: `tenant-${100 + i}` }));
    await journey.postrider.start();
    await journey.untilEmpty();
    for (let n = 0; n < 10; n++) {
      const last = Math.max(...tenants.map((ids) => positions(ids)[n]!));
      expect([n, last]).toEqual([n, expect.toSatisfy((place: number) => place < 60 * (n + 1) + 40)]);
    }
  });

  test('few tenants, then more than a claim holds, in claims of any size → no tenant is passed over', async () => {
    journey = await openJourney();
    const database = await journey.postrider.ready();
    const [{ route }] = await nextOf(await accept(20, { companyId: 'tenant-0' }));
    const claimer = createClaimer(database, { route, worker: () => 1 });
    const claimed = new Map<string, number>();
    const claim = async (limit: number) => {
      const rows = await claimer.claim(limit, []);
      expect(rows.length).toBe(limit);
      for (const { tenant } of rows) claimed.set(tenant!, (claimed.get(tenant!) ?? 0) + 1);
    };
    await claim(5);
    for (let n = 1; n < 60; n++) await accept(20, { companyId: `tenant-${n}` });
    claimed.clear();
    // The first of them still believes that there is one tenant.
    for (const limit of [7, 3, 20, 1, 50, 20, 2, 59, 5, 20]) await claim(limit);
    const counts = [...claimed.entries()]
      .filter(([tenant]) => tenant !== 'tenant-0')
      .map(([, count]) => count);
    expect(counts.length).toBe(59);
    expect(Math.max(...counts) - Math.min(...counts)).toBeLessThanOrEqual(1);
  });

  async function nextOf(ids: readonly string[]) {
    const { rows } = await journey.pool.query<{ route: string }>(
      'select route from postrider.email_queue where id = any ($1::uuid[]) limit 1',
      [ids],
    );
    return rows as [{ route: string }];
  }

  test('within one tenant and priority → in the order of acceptance', async () => {
    journey = await openJourney({ config: { worker: { concurrency: 1, batchSize: 1 } } });
    const ids = await accept(50, {});
    await journey.postrider.start();
    await journey.untilEmpty();
    expect(journey.provider.calls.map(({ id }) => id)).toEqual(ids);
  });
});
