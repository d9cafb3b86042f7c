import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { claimRung, countOutstanding } from '../../src/outbox/index.js';
import { type Database, openDatabase } from '../../src/store/index.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/** Bells that never come because of somebody else; what is lost here must not come back by time alone. */
describeWith('postgres', 'rabbitmq')('bells in the hands of another', () => {
  let vhost: TestVhost;
  let journey: Journey;
  beforeAll(async () => {
    vhost = await createTestVhost();
    journey = await openJourney({
      config: {
        engine: { name: 'rabbitmq', ringAgainMs: 600_000, window: 300 },
        rabbitmq: { url: vhost.url },
        limits: { enabled: false },
      },
    });
    await journey.postrider.start();
  });
  afterAll(async () => {
    await journey.close();
    await vhost.drop();
  });

  /** A worker elsewhere, alive until it is said to be dead, that has marked so many emails as rung and published no bell. */
  async function anotherRang(count: number, sinceMs = 2000) {
    const { rows } = await journey.pool.query<{ id: number }>(
      `insert into postrider.workers (instance, host, pid, shared_session)
       values ('elsewhere', 'there', 1, true) returning id`,
    );
    const beats = setInterval(() => {
      journey.pool.query('update postrider.workers set beat_at = clock_timestamp() where id = $1', [
        rows[0]!.id,
      ]);
    }, 1000);
    await journey.pauseAndBeKnown('all', '');
    const emails = Array.from({ length: count }, () => anEmail());
    const ids = (await journey.postrider.sendBatch(emails)).map(({ emailId }) => emailId);
    await journey.pool.query(
      `update postrider.email_queue q set ready = false, rung_at = at, rung_by = $2,
         due_at = case when at > clock_timestamp() then at end
       from (select clock_timestamp() - $3 * interval '1 millisecond' as at) rung where id = any ($1::uuid[])`,
      [ids, rows[0]!.id, sinceMs],
    );
    await journey.postrider.resume('all');
    return {
      emails,
      async die() {
        clearInterval(beats);
        // Without a session, and with none that is shared.
        await journey.pool.query(
          `update postrider.workers set shared_session = false, epoch = (select id from postrider.server_epoch)
           where id = $1`,
          [rows[0]!.id],
        );
      },
    };
  }

  const sentTo = (to: string) => journey.provider.calls.filter((call) => call.to === to).length;
  const untilSent = (emails: ReadonlyArray<{ to: string }>) =>
    waitFor(() => emails.every(({ to }) => sentTo(to) > 0), { timeoutMs: 20_000, what: 'all to be sent' });

  // The first one: nothing was heard before.
  it('a worker is frozen with all the bells that may be out → the others go on', async () => {
    const { emails: frozen, die } = await anotherRang(300);
    const others = Array.from({ length: 300 }, () => anEmail());
    await journey.postrider.sendBatch(others);
    await untilSent(others);
    expect(frozen.filter(({ to }) => sentTo(to) > 0)).toEqual([]);
    await die();
    await untilSent(frozen);
  });

  it('a worker dies between marking emails as rung and publishing their bells → others ring for them', async () => {
    const alive = await anotherRang(10);
    const { emails, die } = await anotherRang(600);
    await die();
    await untilSent(emails);
    expect(emails.map(({ to }) => sentTo(to))).toEqual(emails.map(() => 1));
    expect(alive.emails.filter(({ to }) => sentTo(to) > 0)).toEqual([]);
    await alive.die();
    await untilSent(alive.emails);
  });

  it('a worker dies before the broker has the wait of a retry → it waits in the ledger', async () => {
    const began = performance.now();
    const { emails, die } = await anotherRang(10, -2500);
    await die();
    await untilSent(emails);
    const [first] = journey.provider.calls.filter(({ to }) => to === emails[0]!.to);
    expect(first!.at - began).toBeGreaterThan(2000);
  });
});

describeWith('postgres')('bells that are out', () => {
  let journey: Journey;
  let store: Database;
  beforeAll(async () => {
    journey = await openJourney();
    store = await openDatabase(journey.url, {});
  });
  afterAll(async () => {
    await store.close();
    await journey.close();
  });
  beforeEach(() => journey.pool.query('truncate postrider.email_queue'));

  /** Rows rung so many milliseconds ago; returns their ids and when that is for a bell of now. */
  async function rang(...agoMs: number[]): Promise<{ ids: string[]; now: Date }> {
    const { rows } = await journey.pool.query<{ id: string; now: Date }>(
      `insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant, rung_at, due_at)
       select postrider.new_id(), 5, 3, false, false, 'default', 'a', at, case when ago < 0 then at end
       from (select ago, clock_timestamp() - ago * interval '1 millisecond' as at from unnest($1::int[]) ago) rung
       returning id, clock_timestamp() as now`,
      [agoMs],
    );
    return { ids: rows.map(({ id }) => id), now: rows[0]!.now };
  }
  const later = (at: Date, ms: number) => new Date(at.getTime() + ms);

  it('one was heard → those rung more than a second before it are out, and nobody waits behind them', async () => {
    const { now } = await rang(3000, 400, 0);
    expect(await countOutstanding(store, { heardUpTo: null })).toMatchObject({ out: 3, ahead: 3 });
    const { oldestMs, ...counts } = await countOutstanding(store, { heardUpTo: later(now, -1) });
    expect(counts).toEqual({ out: 3, ahead: 2 });
    expect(oldestMs).toBeLessThan(3000);
    // The clock of the server before was ahead of this one's.
    const ahead = await countOutstanding(store, { heardUpTo: later(now, 60_000) });
    expect(ahead).toMatchObject({ out: 3, ahead: 3 });
  });

  it('claimed → tells when the last was rung that came through the broker, and never a time to come', async () => {
    const { ids, now } = await rang(3000, 100, -200);
    const claim = (...bells: Array<{ id: string; direct?: boolean }>) =>
      claimRung(
        store,
        bells.map((bell) => ({ token: null, ...bell })),
        { worker: 1, rooms: new Map([['default', 10]]), pausedTenants: [] },
      );
    const first = await claim({ id: ids[0]! }, { id: ids[1]!, direct: true });
    expect(first.claims).toHaveLength(2);
    expect(first.rungAt!.getTime()).toBeLessThan(now.getTime() - 2900);
    const early = await claim({ id: ids[2]! });
    const { rows } = await journey.pool.query<{ now: Date }>('select clock_timestamp() as now');
    expect(early.claims).toHaveLength(1);
    expect(early.rungAt!.getTime()).toBeLessThanOrEqual(rows[0]!.now.getTime());
  });
});
