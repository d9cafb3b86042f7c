import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome, Postrider } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { insertOdd } from './ground/odd-rows.js';
import { anEmail } from './ground/open-journey.js';
import { openRoutedJourney, type RoutedJourney } from './ground/routed-journey.js';
import { answerLost, deferred, rejected, sent, wrongPassword } from './ground/scripted-provider.js';

/** Several ways out: which one is taken, what happens when one is down, and that processes agree on it. */
let journey: RoutedJourney;
beforeEach(async () => {
  journey = await openRoutedJourney();
});
afterEach(() => journey.close());

const down: Outcome = {
  kind: 'deferred',
  scope: 'route',
  code: 'ECONNREFUSED',
  category: 'TRANSIENT_ERROR',
  message: 'connect ECONNREFUSED',
  trace: { stage: 'connect' },
};

const started = async (...args: Parameters<RoutedJourney['open']>): Promise<Postrider> => {
  const postrider = await journey.open(...args);
  await postrider.start();
  return postrider;
};

describe('which route', () => {
  test('company and type → the route for them; the log and the attempt name it', async () => {
    const postrider = await started([
      { name: 'main' },
      { name: 'acme', companies: ['acme'] },
      { name: 'digests', types: ['digest'] },
    ]);
    const ids = await Promise.all(
      [
        { companyId: 'other', type: 'welcome' },
        { companyId: 'acme', type: 'digest' },
        { companyId: 'other', type: 'digest' },
      ].map(async (parts) => (await postrider.send(anEmail(parts))).emailId),
    );
    for (const id of ids) await journey.untilStatus(postrider, id, 'sent');
    expect(ids.map((id) => journey.calls.find((call) => call.emailId === id)?.route)).toEqual([
      'main',
      'acme',
      'digests',
    ]);
    const { rows } = await journey.pool.query(
      'select e.route, a.route as tried, a.provider from postrider.emails e join postrider.email_attempts a on a.email_id = e.id where e.id = $1',
      [ids[1]],
    );
    expect(rows).toEqual([{ route: 'acme', tried: 'acme', provider: 'provider-acme' }]);
  });

  test('weights 3 and 1 → about three quarters and one', async () => {
    const postrider = await started([
      { name: 'big', weight: 3 },
      { name: 'small', weight: 1 },
    ]);
    await postrider.sendBatch(Array.from({ length: 400 }, () => anEmail()));
    await journey.untilEmpty();
    expect(journey.callsOf('big').length).toBeGreaterThan(250);
    expect(journey.callsOf('small').length).toBeGreaterThan(50);
    expect(journey.calls).toHaveLength(400);
  });

  test('a route that is not configured any more, and accept_v1 → sent all the same', async () => {
    const before = await journey.open([{ name: 'old' }]);
    const { emailId } = await before.send(anEmail());
    const { rows } = await journey.pool.query<{ id: string }>(
      "select postrider.accept_v1('sql@example.net', 'Hello', text_body => 'Hello') as id",
    );
    const postrider = await started([{ name: 'new' }]);
    await journey.untilStatus(postrider, emailId, 'sent');
    await journey.untilStatus(postrider, rows[0]!.id, 'sent');
    expect(journey.calls.map(({ route }) => route)).toEqual(['new', 'new']);
  });

  test('a tenant’s SQL names the route of another → it goes by one that serves it, never by that account', async () => {
    const accept = async (company: string, type: string | null, route: string) => {
      const { rows } = await journey.pool.query<{ id: string }>(
        "select postrider.accept_v1('sql@example.net', 'Hello', text_body => 'x', company_id => $1, type => $2, route => $3) as id",
        [company, type, route],
      );
      return rows[0]!.id;
    };
    const postrider = await started([
      { name: 'main' },
      { name: 'acme', companies: ['acme'] },
      { name: 'digests', types: ['digest'] },
      { name: 'spare', weight: 0 },
    ]);
    const wanted = [
      [await accept('evil', null, 'acme'), 'main'],
      [await accept('evil', 'digest', 'acme'), 'digests'],
      [await accept('evil', 'welcome', 'digests'), 'main'],
      [await accept('evil', null, 'digests'), 'main'],
      [await accept('evil', null, 'nowhere'), 'main'],
      [await accept('acme', null, 'acme'), 'acme'],
      [await accept('evil', null, 'spare'), 'spare'],
    ] as const;
    for (const [id] of wanted) await journey.untilStatus(postrider, id, 'sent');
    expect(wanted.map(([id]) => journey.calls.find((call) => call.emailId === id)?.route)).toEqual(
      wanted.map(([, route]) => route),
    );
  });

  test('a route that stops serving a company while its emails wait, and rows another hand wrote for it → chosen anew', async () => {
    const before = await journey.open([{ name: 'main' }, { name: 'shared', companies: ['acme', 'other'] }]);
    const { emailId } = await before.send(anEmail({ companyId: 'other' }));
    const byHand = await insertOdd(journey.pool, {
      email: { tenant: 'evil', route: 'shared' },
      queue: { tenant: 'evil', route: 'shared' },
    });
    const postrider = await started([{ name: 'main' }, { name: 'shared', companies: ['acme'] }]);
    for (const id of [emailId, byHand]) await journey.untilStatus(postrider, id, 'sent');
    expect(journey.calls.map(({ route }) => route)).toEqual(['main', 'main']);
  });
});

test('a sender the account does not know → that email fails alone; as the configured sender it stops the route', async () => {
  const notVerified: Outcome = { ...wrongPassword, scope: 'message', code: 'RESEND_DOMAIN_NOT_VERIFIED' };
  journey.answers.set('main', notVerified);
  const postrider = await started([{ name: 'main' }]);
  const own = await postrider.send(anEmail({ from: 'me@unverified.example' }));
  await journey.untilStatus(postrider, own.emailId, 'failed');
  expect(await postrider.get(own.emailId)).toMatchObject({ errorCode: 'RESEND_DOMAIN_NOT_VERIFIED' });
  expect((await postrider.overview()).pauses).toEqual([]);
  const other = await postrider.send(anEmail());
  await waitFor(async () => (await postrider.overview()).pauses.length > 0, {
    timeoutMs: 10_000,
    what: 'the route to be paused',
  });
  // The pause is written first; while the email is being given back it still counts as in hand.
  await waitFor(async () => (await postrider.get(other.emailId))?.attempts === 0, {
    timeoutMs: 10_000,
    what: 'the email to be given back uncounted',
  });
});

describe('failover', () => {
  test('the first is down → the second in the same attempt, with the first named in the journal', async () => {
    journey.answers.set('first', down);
    const postrider = await started([{ name: 'first' }, { name: 'second' }]);
    const { emailId } = await postrider.send(anEmail());
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(await postrider.get(emailId)).toMatchObject({ attempts: 1, provider: 'provider-second' });
    const events = await postrider.timeline(emailId);
    expect(events.at(-1)).toMatchObject({
      type: 'SENT',
      metadata: { failover: [{ route: 'first', provider: 'provider-first', code: 'ECONNREFUSED' }] },
    });
    expect(events.map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
  });

  test.each([
    ['answer lost', answerLost, 'retry'],
    ['recipient deferred', deferred, 'retry'],
    ['rejected', rejected, 'failed'],
  ])('%s → never handed to the second', async (_, outcome, status) => {
    journey.answers.set('first', outcome);
    const postrider = await started([{ name: 'first' }, { name: 'second' }]);
    const { emailId } = await postrider.send(anEmail());
    await journey.untilStatus(postrider, emailId, status);
    expect(journey.callsOf('second')).toEqual([]);
  });
});

describe('circuit', () => {
  test('down, two processes → opens, lets nothing pass, then exactly one probe; closed → everything goes', async () => {
    journey.answers.set('only', down);
    const processes = [await started([{ name: 'only' }]), await started([{ name: 'only' }])];
    await processes[0]!.sendBatch(Array.from({ length: 30 }, () => anEmail()));
    await waitFor(async () => (await journey.circuit('only')).state === 'open', {
      timeoutMs: 5000,
      what: 'the circuit to open',
    });
    expect((await processes[1]!.overview()).routes).toMatchObject([
      { name: 'only', provider: 'provider-only', circuit: 'open', reason: 'ECONNREFUSED', paused: false },
    ]);
    // Both processes know; nothing is in flight any more.
    await waitFor(
      async () => {
        const before = journey.calls.length;
        await journey.hurry();
        await waitFor(
          async () =>
            (await journey.pool.query('select 1 from postrider.email_queue where ready')).rowCount! > 0,
          { timeoutMs: 2000, what: 'emails to be claimable' },
        );
        await quiet(400);
        return journey.calls.length === before;
      },
      { timeoutMs: 8000, what: 'silence' },
    );
    for (const { metrics } of processes) {
      expect(await metrics.registry.metrics()).toContain('route_circuit_state{route="only"} 2');
    }
    const attempts = await journey.pool.query<{ max: number }>(
      'select max(attempt)::int as max from postrider.email_queue',
    );
    let release: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    journey.answers.set('only', async (id) => {
      await held;
      return sent(id);
    });
    const before = journey.calls.length;
    await journey.endOpenTime('only');
    await waitFor(() => journey.calls.length > before, { timeoutMs: 5000, what: 'a probe' });
    await journey.hurry();
    await quiet(600);
    expect(journey.calls.length - before).toBe(1);
    expect((await journey.circuit('only')).state).toBe('probing');
    expect(attempts.rows[0]!.max).toBeLessThanOrEqual(2);
    release();
    await waitFor(async () => (await journey.circuit('only')).state === 'closed', {
      timeoutMs: 5000,
      what: 'the circuit to close',
    });
    await waitFor(
      async () => {
        await journey.hurry();
        return (await journey.pool.query('select 1 from postrider.email_queue')).rowCount === 0;
      },
      { timeoutMs: 10_000, what: 'everything to be sent' },
    );
    const { rows } = await journey.pool.query(
      'select distinct status::text from postrider.email_attempts where final',
    );
    expect(rows).toEqual([{ status: 'sent' }]);
  });

  test('the probe fails → open again, for longer', async () => {
    journey.answers.set('only', down);
    const postrider = await started([{ name: 'only' }]);
    await postrider.sendBatch(Array.from({ length: 8 }, () => anEmail()));
    await waitFor(async () => (await journey.circuit('only')).state === 'open', {
      timeoutMs: 5000,
      what: 'the circuit to open',
    });
    await journey.endOpenTime('only');
    await waitFor(
      async () => {
        await journey.hurry();
        const { rows } = await journey.pool.query(
          "select 1 from postrider.routes where state = 'open' and openings = 2 and open_until > clock_timestamp() + interval '15 seconds'",
        );
        return rows.length === 1;
      },
      { timeoutMs: 8000, what: 'a second, longer opening' },
    );
  });

  test('after an outage → one at a time, then two, then four', async () => {
    journey.answers.set('only', down);
    const postrider = await started([{ name: 'only' }], { worker: { concurrency: 8 } });
    await postrider.sendBatch(Array.from({ length: 24 }, () => anEmail()));
    await waitFor(async () => (await journey.circuit('only')).state === 'open', {
      timeoutMs: 5000,
      what: 'the circuit to open',
    });
    let inFlight = 0;
    const most: number[] = [];
    journey.answers.set('only', async (id) => {
      inFlight += 1;
      most.push(inFlight);
      await quiet(30);
      inFlight -= 1;
      return sent(id);
    });
    await journey.endOpenTime('only');
    await waitFor(
      async () => {
        await journey.hurry();
        return (await journey.pool.query('select 1 from postrider.email_queue')).rowCount === 0;
      },
      { timeoutMs: 15_000, what: 'everything to be sent' },
    );
    // The probe and the first after it are alone; never more than twice what has succeeded before.
    expect(most.slice(0, 2)).toEqual([1, 1]);
    most.forEach((count, index) => {
      expect(count).toBeLessThanOrEqual(2 ** index);
    });
    expect(Math.max(...most)).toBeGreaterThan(2);
  });
});

describe('account', () => {
  test('refused, nobody else → paused with the reason, emails kept at no cost; resumed → sent', async () => {
    journey.answers.set('only', wrongPassword);
    const postrider = await started([{ name: 'only' }]);
    const accepted = await postrider.sendBatch(Array.from({ length: 20 }, () => anEmail()));
    await waitFor(async () => (await postrider.overview()).pauses.length === 1, {
      timeoutMs: 5000,
      what: 'the route to be paused',
    });
    expect((await postrider.overview()).pauses).toMatchObject([
      { scope: 'route', value: 'only', reason: expect.stringContaining('SMTP_535') },
    ]);
    await quiet(400);
    const { rows } = await journey.pool.query<{ kept: number; attempt: number }>(
      'select count(*)::int as kept, max(attempt)::int as attempt from postrider.email_queue',
    );
    expect(rows).toEqual([{ kept: 20, attempt: 0 }]);
    journey.answers.delete('only');
    await postrider.resume('route', 'only');
    for (const { emailId } of accepted) await journey.untilStatus(postrider, emailId, 'sent');
    expect(await postrider.get(accepted[0]!.emailId)).toMatchObject({ attempts: 1 });
  });

  test('refused, another route → paused, and everything goes by the other', async () => {
    journey.answers.set('first', wrongPassword);
    const postrider = await started([{ name: 'first' }, { name: 'second' }]);
    await postrider.sendBatch(Array.from({ length: 10 }, () => anEmail()));
    await journey.untilEmpty();
    expect((await postrider.overview()).pauses).toMatchObject([{ scope: 'route', value: 'first' }]);
    // A process may act on a pause a quarter of a second late.
    await quiet(400);
    const { emailId } = await postrider.send(anEmail());
    const before = journey.callsOf('first').length;
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(journey.callsOf('first')).toHaveLength(before);
  });

  test('refused with `fail` → the emails fail and nothing is paused', async () => {
    journey.answers.set('only', wrongPassword);
    const postrider = await started([{ name: 'only', onAccountFailure: 'fail' }]);
    const { emailId } = await postrider.send(anEmail());
    await journey.untilStatus(postrider, emailId, 'failed');
    expect(await postrider.get(emailId)).toMatchObject({ errorCode: 'SMTP_535' });
    expect((await postrider.overview()).pauses).toEqual([]);
  });
});

/** Long enough for several polls: that nothing happens can only be seen by looking for a while. */
async function quiet(ms: number): Promise<void> {
  const before = performance.now();
  await waitFor(() => performance.now() - before > ms, {
    timeoutMs: ms * 4 + 1000,
    what: 'a while',
    everyMs: 5,
  });
}
