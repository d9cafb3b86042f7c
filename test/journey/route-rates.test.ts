import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Postrider } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { anEmail } from './ground/open-journey.js';
import { openRoutedJourney, type RoutedJourney } from './ground/routed-journey.js';

/** How fast a route goes when several processes share it. Here time itself is the subject. */
let journey: RoutedJourney;
beforeEach(async () => {
  journey = await openRoutedJourney();
});
afterEach(() => journey.close());

const emails = (count: number, domain: string) =>
  Array.from({ length: count }, (_, n) => anEmail({ to: `reader-${n}@${domain}` }));

/** Emails to these addresses within the given time after the first of them. */
function within(ms: number, pick: (to: string) => boolean = () => true): number {
  const times = journey.calls.filter((call) => pick(call.to)).map((call) => call.at);
  return times.filter((at) => at - times[0]! <= ms).length;
}

async function two(...args: Parameters<RoutedJourney['open']>): Promise<[Postrider, Postrider]> {
  const both: [Postrider, Postrider] = [await journey.open(...args), await journey.open(...args)];
  for (const postrider of both) await postrider.start();
  return both;
}

test('20 a second, two processes → together 20 a second, and no email pays an attempt for waiting', async () => {
  const [postrider] = await two([{ name: 'slow', ratePerSecond: 20 }]);
  await postrider.sendBatch(emails(100, 'example.net'));
  await journey.untilEmpty();
  const seconds = (journey.calls.at(-1)!.at - journey.calls[0]!.at) / 1000;
  // A bucket holds half a second's worth: 90 of 100 emails have to be waited for.
  expect(seconds).toBeGreaterThan(4.2);
  expect(seconds).toBeLessThan(30);
  for (const [ms, most] of [
    [1000, 44],
    [2000, 64],
    [3000, 84],
  ] as const)
    expect(within(ms)).toBeLessThanOrEqual(most);
  expect(journey.calls).toHaveLength(100);
  const { rows } = await journey.pool.query('select max(attempt)::int as max from postrider.email_attempts');
  expect(rows).toEqual([{ max: 1 }]);
});

test('one domain at 4 a second, two processes → that domain waits, the others go at once', async () => {
  const [postrider] = await two([{ name: 'main', domainRates: { 'slow.example': 4 } }]);
  await postrider.sendBatch([...emails(16, 'slow.example'), ...emails(50, 'fast.example')]);
  await waitFor(() => journey.calls.filter(({ to }) => to.endsWith('@fast.example')).length === 50, {
    timeoutMs: 3000,
    what: 'the other domain to be sent',
  });
  await journey.untilEmpty();
  const slow = journey.calls.filter(({ to }) => to.endsWith('@slow.example'));
  expect(slow).toHaveLength(16);
  const seconds = (slow.at(-1)!.at - slow[0]!.at) / 1000;
  expect(seconds).toBeGreaterThan(3);
  expect(seconds).toBeLessThan(40);
  expect(within(2000, (to) => to.endsWith('@slow.example'))).toBeLessThanOrEqual(11);
  const { rows } = await journey.pool.query('select max(attempt)::int as max from postrider.email_attempts');
  expect(rows).toEqual([{ max: 1 }]);
});

test('one route is slow → another is not held up by it', async () => {
  const postrider = await journey.open([
    { name: 'main' },
    { name: 'slow', ratePerSecond: 2, companies: ['slow'] },
  ]);
  await postrider.start();
  await postrider.sendBatch(emails(30, 'example.net').map((email) => ({ ...email, companyId: 'slow' })));
  const accepted = await postrider.sendBatch(emails(50, 'example.org'));
  for (const { emailId } of accepted) await journey.untilStatus(postrider, emailId, 'sent', 4000);
  expect(journey.callsOf('slow').length).toBeLessThan(15);
});

test('at most two in flight → never more, and all are sent', async () => {
  let inFlight = 0;
  let most = 0;
  journey.answers.set('narrow', async (id) => {
    inFlight += 1;
    most = Math.max(most, inFlight);
    const before = performance.now();
    await waitFor(() => performance.now() - before > 10, { timeoutMs: 1000, what: 'a while', everyMs: 2 });
    inFlight -= 1;
    return { kind: 'sent', providerMessageId: id, trace: { stage: 'reply' } };
  });
  const postrider = await journey.open([{ name: 'narrow', maxConcurrency: 2 }]);
  await postrider.start();
  await postrider.sendBatch(emails(40, 'example.net'));
  await journey.untilEmpty();
  expect(most).toBe(2);
});
