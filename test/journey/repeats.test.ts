import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Outcome, Postrider } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { anEmail } from './ground/open-journey.js';
import { openRoutedJourney, type RoutedJourney } from './ground/routed-journey.js';
import { answerLost, deferred } from './ground/scripted-provider.js';

/** An answer that was lost, from a provider that recognises a repeat for a day, as Resend does. */
let journey: RoutedJourney;
let postrider: Postrider;
beforeEach(async () => {
  journey = await openRoutedJourney();
  postrider = await journey.open([{ name: 'first' }, { name: 'second' }]);
  await postrider.start();
});
afterEach(() => journey.close());

const lost = (): Outcome => ({ ...answerLost, repeatableUntil: Date.now() + 24 * 3_600_000 });
const down: Outcome = { ...deferred, scope: 'route', code: 'ECONNREFUSED' };

async function loseAnswer(delivery: 'at-least-once' | 'at-most-once'): Promise<string> {
  journey.answers.set('first', lost());
  const { emailId } = await postrider.send(anEmail({ delivery }));
  await journey.untilStatus(postrider, emailId, 'retry');
  journey.answers.delete('first');
  return emailId;
}

/** The day is over before the next attempt. */
async function endDay(emailId: string): Promise<void> {
  await journey.pool.query(
    "update postrider.email_queue set repeatable_until = now() - interval '1 s', due_at = clock_timestamp() where id = $1",
    [emailId],
  );
}

describe('an answer lost by a provider that recognises repeats', () => {
  test.each(['at-least-once', 'at-most-once'] as const)(
    '%s → repeated by the same route, sent, and no possible duplicate',
    async (delivery) => {
      const emailId = await loseAnswer(delivery);
      await journey.hurry();
      await journey.untilStatus(postrider, emailId, 'sent');
      expect(await postrider.get(emailId)).toMatchObject({ possibleDuplicate: false, attempts: 2 });
      expect(journey.calls.map(({ route }) => route)).toEqual(['first', 'first']);
    },
  );

  test('its route is down afterwards → waits for it and never goes by another', async () => {
    const emailId = await loseAnswer('at-most-once');
    journey.answers.set('first', down);
    await journey.hurry();
    await waitFor(() => journey.callsOf('first').length >= 2, { timeoutMs: 10_000, what: 'the repeat' });
    await journey.untilStatus(postrider, emailId, 'retry');
    journey.answers.delete('first');
    await journey.hurry();
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(journey.callsOf('second')).toEqual([]);
  });

  test('it had failed over → the repeat goes by the route that may have delivered', async () => {
    journey.answers.set('first', down);
    journey.answers.set('second', lost());
    const { emailId } = await postrider.send(anEmail());
    await journey.untilStatus(postrider, emailId, 'retry');
    journey.answers.clear();
    await journey.hurry();
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(journey.calls.map(({ route }) => route)).toEqual(['first', 'second', 'second']);
  });

  test('too late, at-most-once → unknown without another call', async () => {
    const emailId = await loseAnswer('at-most-once');
    await endDay(emailId);
    await journey.untilStatus(postrider, emailId, 'unknown');
    expect(await postrider.get(emailId)).toMatchObject({
      errorCode: 'REPEAT_TOO_LATE',
      possibleDuplicate: true,
    });
    expect(journey.calls).toHaveLength(1);
  });

  test('a recipient is suppressed meanwhile → the rest is another email to the provider, so marked', async () => {
    journey.answers.set('first', lost());
    const { emailId } = await postrider.send(anEmail({ cc: ['gone@example.net'], companyId: 'acme' }));
    await journey.untilStatus(postrider, emailId, 'retry');
    journey.answers.delete('first');
    await postrider.suppressions.add([{ email: 'gone@example.net', reason: 'manual' }], {
      companyId: 'acme',
    });
    await journey.hurry();
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(await postrider.get(emailId)).toMatchObject({ possibleDuplicate: true });
  });

  test('too late, at-least-once → sent, marked as a possible duplicate', async () => {
    const emailId = await loseAnswer('at-least-once');
    await endDay(emailId);
    await journey.untilStatus(postrider, emailId, 'sent');
    expect(await postrider.get(emailId)).toMatchObject({ possibleDuplicate: true, attempts: 2 });
  });
});
