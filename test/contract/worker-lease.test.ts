import { afterAll, beforeAll, expect, test } from 'vitest';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { takeLease, WorkerWatch } from '../../src/outbox/index.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import {
  createTestDatabase,
  describeWith,
  type Pooler,
  startPooler,
  type TestDatabase,
  waitFor,
} from '../services/index.js';

describeWith('postgres', 'pgbouncer')('a lease behind a pooler that was not recognised', () => {
  let created: TestDatabase;
  let pooler: Pooler;
  let direct: Database;
  let pooled: Database;
  beforeAll(async () => {
    created = await createTestDatabase();
    pooler = await startPooler({ url: created.url, mode: 'transaction' });
    direct = await openDatabase(created.url);
    pooled = await openDatabase(pooler.url, { prepare: false, patienceMs: 10_000 });
  });
  afterAll(async () => {
    await pooled?.close();
    await direct?.close();
    await pooler?.remove();
    await created?.drop();
  });

  test('its own NOTIFY does not come back for three seconds → nobody takes it over meanwhile, and it knows', async () => {
    const database: Database = { ...pooled, pooling: async () => null };
    let taken = false;
    const taking = takeLease({
      ...{ database, instance: 'pooled', host: 'test', pid: 1, clock: systemClock, random: () => 0 },
      ...{
        logger: silentLogger,
        onBell() {},
        onBellForAnother() {},
        isBusy: () => false,
        onOwed() {},
        onOwedForAnother() {},
        onLost() {},
      },
    }).finally(() => {
      taken = true;
    });
    const dead: unknown[] = [];
    const watch = new WorkerWatch({
      ...{ database: direct, self: () => 0, clock: systemClock, logger: silentLogger },
    });
    await waitFor(
      async () => {
        dead.push(...(await watch.look()).dead);
        return taken;
      },
      { timeoutMs: 60_000, what: 'the lease' },
    );
    const lease = await taking;
    expect(dead).toEqual([]);
    expect([lease.held(), lease.mayDeliver()]).toEqual([true, true]);
    expect((await direct.query('select shared_session from postrider.workers')).rows).toEqual([
      { shared_session: true },
    ]);
    await lease.end();
    expect([lease.held(), lease.mayDeliver()]).toEqual([false, false]);
  });
});
