import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPostrider, type Postrider } from '../../src/index.js';
import { silentLogger, systemClock } from '../../src/kernel/index.js';
import { beginClaims } from '../../src/outbox/begin-claims.js';
import {
  type Claim,
  claimSuspects,
  createClaimer,
  openClaims,
  takeLease,
  takeOverWorker,
} from '../../src/outbox/index.js';
import { recognizeEpoch } from '../../src/outbox/server-epoch.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import { createTestDatabase, describeWith, type TestDatabase } from '../services/index.js';

/** What becomes of a worker's rows when another takes it over, and what an epoch of the server does to claims. */
describeWith('postgres')('a worker that is taken over', () => {
  let server: TestDatabase;
  let database: Database;
  let caller: Postrider;
  beforeAll(async () => {
    server = await createTestDatabase();
    database = await openDatabase(server.url);
    caller = createPostrider({
      database: server.url,
      from: { address: 'noreply@example.com' },
      logger: silentLogger,
      config: { limits: { enabled: false } },
    });
  });
  afterAll(async () => {
    await caller.stop();
    await database.close();
    await server.drop();
  });

  const rowsOf = async <Row>(sql: string, values: unknown[] = []) =>
    (await database.query<Row>(sql, values)).rows;
  const recognize = () => recognizeEpoch(database, 'postgres');
  /** As a crash or a promotion leaves it. */
  const crash = () => database.query('delete from postrider.server_epoch');

  async function accept(count: number, delivery: 'at-least-once' | 'at-most-once' = 'at-least-once') {
    await database.query('delete from postrider.email_queue');
    const emails = Array.from({ length: count }, (_, i) => ({
      ...{ to: `taken-${i}@example.com`, subject: `taken ${i}`, text: 'x', delivery },
    }));
    return (await caller.sendBatch(emails)).map(({ emailId }) => emailId);
  }

  async function register(): Promise<number> {
    const [row] = await rowsOf<{ id: number }>(
      `insert into postrider.workers (instance, host, pid) values ('taken', 'here', 1) returning id`,
    );
    return row!.id;
  }

  async function claim(worker: number): Promise<Claim[]> {
    return createClaimer(database, { route: 'default', worker: () => worker }).claim(100, []);
  }

  async function takeOver(id: number, died: boolean) {
    const [row] = await rowsOf<{ lease: number }>('select lease from postrider.workers where id = $1', [id]);
    return takeOverWorker(database, { id, lease: row!.lease, beat: null, epoch: null, died });
  }

  const statusOf = async (id: string) =>
    (
      await rowsOf<{
        status: string;
        error_code: string | null;
        possible_duplicate: boolean;
        attempts: number;
      }>(
        'select status::text as status, error_code, possible_duplicate, attempts from postrider.email_logs where id = $1',
        [id],
      )
    )[0];

  async function attemptAlone(died: boolean, { begins = true } = {}): Promise<void> {
    const worker = await register();
    const [fresh] = await claim(worker);
    const [suspect] = fresh
      ? [fresh]
      : await claimSuspects(database, { route: 'default', worker, limit: 1, beside: 0 });
    await openClaims(database, worker, [suspect!], { alone: true });
    if (begins) await beginClaims(database, worker, [suspect!], { atMostOnce: false });
    await takeOver(worker, died);
  }

  it('its process died three times with one email alone → CRASH_LOOP', async () => {
    await recognize();
    const [id] = await accept(1);
    for (let death = 0; death < 3; death++) await attemptAlone(true);
    expect(await statusOf(id!)).toMatchObject({ status: 'failed', error_code: 'CRASH_LOOP' });
  });

  it('it was silent four times with one email alone and no process died → retried and marked, no CRASH_LOOP', async () => {
    await recognize();
    const [id] = await accept(1);
    for (let silence = 0; silence < 4; silence++) await attemptAlone(false);
    expect(await statusOf(id!)).toMatchObject({ status: 'retry', possible_duplicate: true, attempts: 4 });
  });

  it('it froze with one email alone, each time before the attempt began → each costs an attempt, the last ends it', async () => {
    await recognize();
    const [id] = await accept(1);
    for (let freeze = 0; freeze < 4; freeze++) await attemptAlone(false, { begins: false });
    expect(await statusOf(id!)).toMatchObject({ status: 'retry', possible_duplicate: false, attempts: 4 });
    await attemptAlone(false, { begins: false });
    const ended = { status: 'failed', error_code: 'CRASH_LOOP', possible_duplicate: false };
    expect(await statusOf(id!)).toMatchObject(ended);
  });

  it('it was frozen with several emails it had only opened → none costs an attempt', async () => {
    await recognize();
    const ids = await accept(3);
    const worker = await register();
    await openClaims(database, worker, await claim(worker));
    expect(await takeOver(worker, false)).toMatchObject({ suspects: 3 });
    for (const id of ids) {
      expect(await statusOf(id)).toMatchObject({ status: 'pending', possible_duplicate: false, attempts: 0 });
    }
  });

  it('it was cut off, looked dead and finds itself taken over → the crash it was counted for is taken back', async () => {
    await recognize();
    const [id] = await accept(1);
    const crashes = async () =>
      (await rowsOf<{ crashes: number }>('select crashes from postrider.email_queue where id = $1', [id]))[0]
        ?.crashes;
    await attemptAlone(true);
    expect(await crashes()).toBe(1);
    let lost: () => void = () => {};
    const over = new Promise<void>((resolve) => {
      lost = resolve;
    });
    const lease = await takeLease({
      ...{ database, instance: 'cut-off', host: 'here', pid: 1, clock: systemClock, random: Math.random },
      ...{
        logger: silentLogger,
        onBell() {},
        onBellForAnother() {},
        isBusy: () => false,
        onOwed() {},
        onOwedForAnother() {},
        onLost: lost,
      },
    });
    const [suspect] = await claimSuspects(database, {
      ...{ route: 'default', worker: lease.worker, limit: 1, beside: 0 },
    });
    await openClaims(database, lease.worker, [suspect!], { alone: true });
    await beginClaims(database, lease.worker, [suspect!], { atMostOnce: false });
    await takeOver(lease.worker, true);
    expect(await crashes()).toBe(2);
    await over;
    expect(await crashes()).toBe(1);
    expect(await statusOf(id!)).toMatchObject({ status: 'retry', possible_duplicate: true, attempts: 2 });
    await lease.end();
  });

  it('claimed before the server crashed → counts as begun: marked, and at-most-once stops', async () => {
    await recognize();
    for (const delivery of ['at-least-once', 'at-most-once'] as const) {
      const ids = await accept(3, delivery);
      const worker = await register();
      const claims = await claim(worker);
      expect(claims).toHaveLength(3);
      await openClaims(database, worker, claims.slice(0, 1));
      await crash();
      expect(await takeOver(worker, false)).toMatchObject(
        delivery === 'at-most-once' ? { released: 0, unknown: 3 } : { released: 0, suspects: 3 },
      );
      for (const id of ids) {
        const status = delivery === 'at-most-once' ? 'unknown' : 'retry';
        expect(await statusOf(id)).toMatchObject({ status, possible_duplicate: true });
      }
    }
  });

  it('claimed after the crash was recognized → released as if nothing had happened', async () => {
    await crash();
    expect((await recognize()).marked).toBe(0);
    const [id] = await accept(1);
    const worker = await register();
    await claim(worker);
    expect(await takeOver(worker, true)).toMatchObject({ released: 1, suspects: 0 });
    expect(await statusOf(id!)).toMatchObject({ status: 'pending', possible_duplicate: false });
  });

  it('twenty processes recognize a crash at once → one epoch, and claims are counted as begun once', async () => {
    await accept(5);
    await claim(await register());
    await crash();
    const seen = await Promise.all(Array.from({ length: 20 }, () => recognize()));
    expect(new Set(seen.map(({ id }) => id)).size).toBe(1);
    expect(seen.map(({ marked }) => marked).filter((marked) => marked !== null)).toEqual([5]);
  });

  it('a dump restored beside its original → another epoch, though the row came with it', async () => {
    const { id } = await recognize();
    await database.query('update postrider.server_epoch set database_oid = 1');
    expect((await recognize()).id).not.toBe(id);
  });

  it('the server restarted → another epoch, though a clean restart keeps the row', async () => {
    const { id } = await recognize();
    await database.query(
      `update postrider.server_epoch set server_started_at = server_started_at - interval '1 day'`,
    );
    expect((await recognize()).id).not.toBe(id);
  });

  it('a crash that nobody has recognized yet → what is claimed cannot be cancelled, what waits can', async () => {
    await recognize();
    const [claimed] = await accept(1);
    await claim(await register());
    const { emailId: waiting } = await caller.send({ to: 'waits@example.com', subject: 'waits', text: 'x' });
    await crash();
    await expect(caller.cancel(claimed!)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
    await caller.cancel(waiting);
    await recognize();
    await expect(caller.cancel(claimed!)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
  });

  it('it has beaten since it was judged, or was judged in another epoch → it is left alone', async () => {
    const { id: epoch } = await recognize();
    const worker = await register();
    const judged = { id: worker, lease: 1, died: true };
    expect(await takeOverWorker(database, { ...judged, beat: '1', epoch })).toBeNull();
    const other = '00000000-0000-0000-0000-000000000000';
    expect(await takeOverWorker(database, { ...judged, beat: null, epoch: other })).toBeNull();
    expect(
      await rowsOf('select 1 from postrider.workers where id = $1 and ended_at is null', [worker]),
    ).toHaveLength(1);
  });

  it('a clock that was stepped by months since the claim → taken over all the same', async () => {
    await recognize();
    const [id] = await accept(1);
    const worker = await register();
    const claims = await claim(worker);
    await openClaims(database, worker, claims);
    await beginClaims(database, worker, claims, { atMostOnce: false });
    await database.query(`update postrider.email_queue set claimed_at = claimed_at - interval '60 days'`);
    expect(await takeOver(worker, true)).toMatchObject({ suspects: 1 });
    expect(await statusOf(id!)).toMatchObject({ status: 'retry' });
  });

  it('a caller’s open transaction cancels one of a dead worker’s emails → the others are taken over at once, and that one later', async () => {
    await recognize();
    const [cancelled, ...others] = await accept(3);
    const worker = await register();
    await claim(worker);
    const owned = async () =>
      (await rowsOf<{ id: string }>('select id from postrider.email_queue where owner = $1', [worker])).map(
        ({ id }) => id,
      );
    await caller
      .transaction(async (tx) => {
        await caller.cancel(cancelled!, { tx });
        await takeOver(worker, true);
        expect(await owned()).toEqual([cancelled]);
        expect(await rowsOf('select 1 from postrider.email_queue where ready')).toHaveLength(others.length);
        throw new Error('changed its mind');
      })
      .catch((error: Error) => expect(error.message).toBe('changed its mind'));
    await takeOver(worker, false);
    expect(await owned()).toEqual([]);
  });
});
