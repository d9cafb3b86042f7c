import { afterAll, beforeAll, expect, it } from 'vitest';
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
        engine: { name: 'rabbitmq', ringAgainMs: 600_000 },
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
      `insert into postrider.workers (instance, host, pid, shared_session, beat_at)
       values ('elsewhere', 'there', 1, true, clock_timestamp() + interval '1 hour') returning id`,
    );
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
      die: () =>
        journey.pool.query(
          "update postrider.workers set beat_at = clock_timestamp() - interval '1 hour' where id = $1",
          [rows[0]!.id],
        ),
    };
  }

  const sentTo = (to: string) => journey.provider.calls.filter((call) => call.to === to).length;
  const untilSent = (emails: ReadonlyArray<{ to: string }>) =>
    waitFor(() => emails.every(({ to }) => sentTo(to) > 0), { timeoutMs: 20_000, what: 'all to be sent' });

  // The first one: nothing was heard before.
  it('a worker is frozen with more bells than may be out where they are heard late → the others go on', async () => {
    const { emails: frozen, die } = await anotherRang(300);
    const others = Array.from({ length: 300 }, () => anEmail());
    await journey.postrider.sendBatch(others);
    await untilSent(others);
    expect(frozen.filter(({ to }) => sentTo(to) > 0)).toEqual([]);
    await die();
    await untilSent(frozen);
  });

  it('a worker dies between marking emails as rung and publishing their bells → others ring for them', async () => {
    const { emails, die } = await anotherRang(600);
    await die();
    await untilSent(emails);
    expect(emails.map(({ to }) => sentTo(to))).toEqual(emails.map(() => 1));
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
