import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { claimDeliveries } from '../../src/events/claim-deliveries.js';
import { settleDeliveries } from '../../src/events/settle-deliveries.js';
import {
  createLedger,
  createRouteRates,
  retryDeadLetters,
  type Settlement,
  takeOverWorker,
} from '../../src/outbox/index.js';
import { sweepDue } from '../../src/outbox/sweep.js';
import type { DeadWorker } from '../../src/outbox/watch-workers.js';
import type { Database } from '../../src/store/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';

/**
 * What only a second process or a frozen one would try: results under an older token, work on what is in flight, and a
 * worker that died. No worker runs: claims and workers are made by hand.
 */
describe('the fences of the ledger', () => {
  const WORKER = 7;
  let journey: Journey;
  let database: Database;
  beforeAll(async () => {
    journey = await openJourney({ config: { access: { secretKeys: `one:${'A'.repeat(43)}=` } } });
    database = await journey.postrider.ready();
  });
  afterAll(() => journey.close());

  const ledger = () =>
    createLedger(database, {
      worker: () => WORKER,
      pauses: () => Promise.reject(new Error('not asked for')),
    });

  /** In the hands of a worker, under a token. */
  async function claimed(
    parts: object = {},
    { token = 7, owner = WORKER, attempt = 0 } = {},
  ): Promise<string> {
    const { emailId } = await journey.postrider.send(anEmail(parts));
    await hold(emailId, { token, owner, attempt });
    return emailId;
  }
  async function hold(
    id: string,
    { token, owner = WORKER, attempt = 0 }: { token: number; owner?: number; attempt?: number },
  ) {
    await journey.pool.query(
      `update postrider.email_queue
       set owner = $2, token = $3, attempt = $4, ready = false, begun = true, claimed_at = clock_timestamp()
       where id = $1`,
      [id, owner, token, attempt],
    );
  }

  const EVENTS = {
    sent: 'SENT',
    retry: 'RETRY_SCHEDULED',
    failed: 'FAILED',
    unknown: 'OUTCOME_UNKNOWN',
  } as const;
  const result = (id: string, status: Settlement['status'], parts: Partial<Settlement> = {}): Settlement => ({
    ...{ id, token: 7, attempt: 1, status, route: 'default', provider: 'smtp', purge: false },
    ...{ events: ['RECEIVED', EVENTS[status]], offsetsMs: [0, 3], durationMs: 3, providerMessageId: null },
    ...{ errorCode: null, errorCategory: null, errorMessage: null, remaining: null, detail: null },
    ...{ retryDelayMs: status === 'retry' ? 60_000 : null, possibleDuplicate: false, repeatableMs: null },
    ...parts,
  });

  /** The email's row in the queue and all that is kept of its attempts and of what happened to it. */
  async function stateOf(id: string): Promise<unknown> {
    const { rows } = await journey.pool.query(
      `select (select row_to_json(q) from postrider.email_queue q where q.id = $1) as queue,
         (select json_agg(row_to_json(a) order by a.attempt) from postrider.email_attempts a where a.email_id = $1) as attempts,
         (select json_agg(row_to_json(f)) from postrider.email_facts f where f.email_id = $1) as facts,
         (select count(*)::int from postrider.email_bodies b where b.email_id = $1) as bodies`,
      [id],
    );
    return rows[0];
  }

  describe.each(['sent', 'retry', 'failed', 'unknown'] as const)('a result of %s', (status) => {
    test.each([
      ['alone', {}],
      ['whose content goes', { purge: true }],
      ['whose wait is spent in a broker', { rings: true }],
      ['with recipients left', { remaining: ['late@example.net'] }],
    ])(
      '%s, under the token of an earlier claim of the same worker → changes nothing',
      async (_case, parts) => {
        const id = await claimed({}, { token: 8 });
        const before = await stateOf(id);
        const other = await claimed();
        const settled = await ledger().settle([result(id, status, parts), result(other, status, parts)]);
        expect(settled).toEqual(new Set([other]));
        expect(await stateOf(id)).toEqual(before);
        for (const token of [0, 6, 9]) await ledger().settle([result(id, status, { ...parts, token })]);
        expect(await stateOf(id)).toEqual(before);
        expect(await ledger().settle([result(id, status, { ...parts, token: 8 })])).toEqual(new Set([id]));
      },
    );

    test('of the round before an operator tried the dead letter again → changes nothing', async () => {
      const id = await claimed();
      await ledger().settle([result(id, 'failed')]);
      expect(await retryDeadLetters(database, [id])).toMatchObject({ retried: [id] });
      const { rows } = await journey.pool.query('select token from postrider.email_queue where id = $1', [
        id,
      ]);
      expect(rows[0].token).toBeGreaterThan(7);
      // Claimed again by the same worker, as every claim is: one more than the row says.
      await hold(id, { token: rows[0].token + 1, attempt: 1 });
      const before = await stateOf(id);
      for (let token = 0; token <= 7; token++)
        expect(await ledger().settle([result(id, status, { token, attempt: 2 })])).toEqual(new Set());
      expect(await stateOf(id)).toEqual(before);
    });
  });

  test('a claim given back, ended or opened under an older token → changes nothing and opens nothing', async () => {
    const id = await claimed({}, { token: 8 });
    const before = await stateOf(id);
    const late = { id, token: 7, attempt: 1, atMostOnce: false } as never;
    const { release, expire, suppress, open } = ledger();
    expect(await release([late], { why: 'a test' })).toBe(0);
    expect(await expire([late])).toEqual([]);
    expect(await suppress([late], {})).toBe(0);
    expect(await open([late])).toEqual([]);
    expect(await stateOf(id)).toEqual(before);
  });

  test('sent to some, deferred, deferred again → each time only the one that is left', async () => {
    const id = await claimed({ cc: 'slow@example.net' });
    const left = async () =>
      (await journey.pool.query('select remaining from postrider.email_queue where id = $1', [id])).rows[0]
        ?.remaining;
    await ledger().settle([result(id, 'retry', { remaining: ['slow@example.net'] })]);
    expect(await left()).toEqual(['slow@example.net']);
    for (const attempt of [2, 3]) {
      await hold(id, { token: 7, attempt: attempt - 1 });
      await ledger().settle([result(id, 'retry', { attempt })]);
      expect(await left()).toEqual(['slow@example.net']);
    }
  });

  test('expires while the provider is asked → stays until the result is there, which counts', async () => {
    const inFlight = await claimed();
    const waiting = (await journey.postrider.send(anEmail())).emailId;
    await journey.pool.query(
      `update postrider.email_queue set expires_at = clock_timestamp() - interval '1 second' where id = any ($1::uuid[])`,
      [[inFlight, waiting]],
    );
    const before = await stateOf(inFlight);
    const { expired } = await sweepDue(database);
    expect(expired.map(({ id }) => id)).toEqual([waiting]);
    expect(await stateOf(inFlight)).toEqual(before);
    expect(await ledger().settle([result(inFlight, 'sent')])).toEqual(new Set([inFlight]));
    expect(await journey.postrider.get(inFlight)).toMatchObject({ status: 'sent' });
    expect(await journey.postrider.get(waiting)).toMatchObject({ status: 'expired' });
  });

  /** A worker without a session, its beat so old; all else as of one that lives. */
  async function workerOf(beatMs: number): Promise<DeadWorker> {
    const { rows } = await journey.pool.query(
      `insert into postrider.workers (instance, host, pid, shared_session, beat_at)
       values ('by hand', 'test', 1, $1, clock_timestamp() - $2::int * interval '1 millisecond') returning id, lease`,
      [false, beatMs],
    );
    return { ...rows[0], beat: null, epoch: null, died: true };
  }

  test.each([1, 2, 3])(
    'dies in attempt %d of three → three attempts in all, and none after',
    async (attempt) => {
      const dead = await workerOf(2000);
      const id = await claimed({}, { owner: dead.id, attempt: attempt - 1 });
      const beside = await claimed({}, { owner: dead.id, attempt: attempt - 1 });
      await journey.pool.query(
        'update postrider.email_queue set max_attempts = 3 where id = any ($1::uuid[])',
        [[id, beside]],
      );
      expect(await takeOverWorker(database, dead)).not.toBeNull();
      for (const one of [id, beside]) {
        const { rows } = await journey.pool.query(
          `select a.attempt, a.final, a.status,
           (select q.attempt from postrider.email_queue q where q.id = a.email_id) as queued
         from postrider.email_attempts a where a.email_id = $1`,
          [one],
        );
        expect(rows).toEqual([
          attempt < 3
            ? { attempt, final: false, status: 'retry', queued: attempt }
            : { attempt, final: true, status: 'unknown', queued: null },
        ]);
      }
      expect(await takeOverWorker(database, dead)).toBeNull();
    },
  );

  test("a webhook's answer under an older token → changes nothing, neither the delivery nor its endpoint", async () => {
    const { id: endpointId } = await journey.postrider.webhooks.create({ url: 'https://example.net/' });
    await journey.postrider.schedule(anEmail(), new Date(Date.now() + 3_600_000));
    await journey.postrider.send(anEmail());
    const [due] = await claimDeliveries(database, {
      ...{ places: { free: 1, taken: new Map() }, perEndpoint: 1, leaseMs: 60_000 },
    });
    const state = async () =>
      (
        await journey.pool.query(
          `select row_to_json(d) as delivery, (select failing_since from postrider.webhook_endpoints e where e.id = $2) as failing,
             (select count(*)::int from postrider.webhook_attempts a where a.delivery_id = d.id) as attempts
           from postrider.webhook_deliveries d where d.id = $1`,
          [due!.id, endpointId],
        )
      ).rows[0];
    // Another process took it when the lease was over.
    await journey.pool.query('update postrider.webhook_deliveries set token = token + 1 where id = $1', [
      due!.id,
    ]);
    const before = await state();
    const answer = { httpStatus: 500, response: 'late', error: null, retryAfterMs: null, durationMs: 1 };
    const settle = async (delivery: { id: string; token: number }, ok: boolean, retryInMs: number | null) =>
      (await settleDeliveries(database, [{ delivery, ok, retryInMs, answer, sentAt: new Date() }], 1000))
        .size;
    for (const [ok, retryInMs] of [
      [true, null],
      [false, 1000],
      [false, null],
    ] as const)
      expect(await settle(due!, ok, retryInMs)).toBe(0);
    expect(await state()).toEqual(before);
    const now = { id: due!.id, token: due!.token + 1 };
    expect(await settle(now, true, null)).toBe(1);
    // Written, and its answer was lost: the same result a second time.
    expect(await settle(now, true, null)).toBe(0);
    expect(await state()).toMatchObject({ attempts: 1, delivery: { status: 'success' } });
    await journey.postrider.webhooks.remove(endpointId);
  });

  test.each([
    [20, 10],
    [3, 1],
    [0.5, 1],
  ])(
    'a route of %d a second that rested for a second, an hour, a month → %d at once, no more',
    async (ratePerSecond, most) => {
      const rates = createRouteRates(database);
      const bucket = { route: `rested-${ratePerSecond}`, domain: '', ratePerSecond };
      expect(await rates.take(bucket, 1000)).toBe(1);
      for (const rest of ['4 seconds', '1 hour', '30 days']) {
        await journey.pool.query(
          'update postrider.route_rates set refilled_at = clock_timestamp() - $2::interval where route = $1',
          [bucket.route, rest],
        );
        expect([rest, await rates.take(bucket, 1000)]).toEqual([rest, most]);
      }
      // Asked for nothing in between, it does not fill beyond that either.
      await journey.pool.query(
        `update postrider.route_rates set refilled_at = clock_timestamp() - interval '1 hour' where route = $1`,
        [bucket.route],
      );
      expect(await rates.take(bucket, 0)).toBe(0);
      const before = performance.now();
      const granted = await rates.take(bucket, 1000);
      expect(granted).toBeLessThanOrEqual(
        most + Math.ceil(((performance.now() - before) / 1000) * ratePerSecond),
      );
    },
  );
});

describe('a batch of emails that may repeat and emails that must not', () => {
  test('→ the mark of each that must not is on disk before it is attempted', async () => {
    const journey = await openJourney({ config: { worker: { concurrency: 20, batchSize: 20 } } });
    try {
      // At the commit of each mark: what it waits for.
      await journey.pool.query(`
        create table public.marks (id uuid, at_most_once boolean, waits text);
        create function public.note_mark() returns trigger language plpgsql as $$ begin
          insert into public.marks values (new.id, new.at_most_once, current_setting('synchronous_commit'));
          return null;
        end $$;
        create constraint trigger note_mark after update on postrider.email_queue deferrable initially deferred
          for each row when (new.begun and not old.begun) execute function public.note_mark();`);
      await journey.postrider.sendBatch(
        Array.from({ length: 60 }, (_, at) => anEmail(at % 3 === 1 ? { delivery: 'at-most-once' } : {})),
      );
      await journey.postrider.start();
      await journey.untilEmpty();
      const { rows } = await journey.pool.query(
        `select count(*)::int as count, count(distinct waits)::int as ways, min(waits) as waits
         from public.marks where at_most_once`,
      );
      expect(rows).toEqual([{ count: 20, ways: 1, waits: 'on' }]);
    } finally {
      await journey.close();
    }
  });
});
