import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Outcome } from '../../src/index.js';
import { checkLedger } from '../chaos/ground/check-ledger.js';
import { waitFor } from '../services/index.js';
import { openEmbedded } from './ground/open-embedded.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { type Answer, answerLost, deferred, rejected, sent } from './ground/scripted-provider.js';

/** Emails that ended in failed or unknown, tried again or set aside by a person. */
describe('dead letters on PostgreSQL', () => {
  let journey: Journey;
  /** What has reached a recipient, for the checker. */
  const taken = new Map<string, number[]>();
  const note = (id: string) => taken.set(id, [...(taken.get(id) ?? []), 1]);
  const takes: Answer = async ({ id }) => {
    note(id);
    return sent(id);
  };
  const takesAndVanishes: Answer = async ({ id }) => {
    note(id);
    return answerLost;
  };
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  /** Ends in failed, and is sent when it is tried again. */
  async function dead(
    parts: Parameters<typeof anEmail>[0] = {},
    outcome: Answer = rejected,
  ): Promise<string> {
    const email = anEmail(parts);
    journey.provider.script(email.to, outcome, takes);
    const { emailId } = await journey.postrider.send(email);
    await waitFor(async () => (await journey.postrider.deadLetters.get(emailId)) !== null, {
      timeoutMs: 10_000,
      what: `${emailId} to be a dead letter`,
    });
    return emailId;
  }
  const retry = (emailIds: string[], options = {}) =>
    journey.postrider.deadLetters.retry({ emailIds }, options);

  test('failed → listed with its error, grouped by it, and told apart by tenant', async () => {
    const id = await dead({ companyId: 'listed', type: 'orders' });
    const { deadLetters } = await journey.postrider.deadLetters.list({ companyId: 'listed' });
    expect(deadLetters).toMatchObject([
      { id, status: 'failed', errorCode: 'SMTP_550', contentKept: true, mayHaveBeenDelivered: false },
    ]);
    expect(await journey.postrider.deadLetters.groups({ companyId: 'listed' })).toEqual([
      { errorCode: 'SMTP_550', status: 'failed', count: 1, newestId: id },
    ]);
    expect(await journey.postrider.deadLetters.get(id, { companyId: 'another' })).toBeNull();
    const none = await journey.postrider.deadLetters.list({ companyId: 'listed', errorCode: 'SMTP_554' });
    expect(none.deadLetters).toEqual([]);
  });

  test('retried → sent in a round of its own, with the next attempt number and a legal history', async () => {
    const id = await dead();
    expect(await retry([id], { by: 'ada' })).toEqual({ retried: 1, refused: {}, examples: [] });
    const log = await journey.untilStatus(id, 'sent');
    expect(log).toMatchObject({ attempts: 2, possibleDuplicate: false });
    expect(await journey.eventTypes(id)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'FAILED',
      'REQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
    const requeued = (await journey.postrider.timeline(id)).find((event) => event.type === 'REQUEUED');
    expect(requeued?.metadata).toEqual({ by: 'ada', afterAttempt: 1, from: 'failed' });
    expect(await journey.postrider.deadLetters.get(id)).toBeNull();
    expect(await objections(id)).toEqual([]);
  });

  test('pressed ten times at once by different operators → each email goes out once more', async () => {
    const ids = await Promise.all(Array.from({ length: 20 }, () => dead({ companyId: 'pressed' })));
    const reports = await Promise.all(
      Array.from({ length: 10 }, (_, press) =>
        press % 2 === 0
          ? retry([...ids].reverse(), { by: `operator ${press}` })
          : journey.postrider.deadLetters.retry({ filter: { companyId: 'pressed' } }),
      ),
    );
    expect(reports.reduce((sum, report) => sum + report.retried, 0)).toBe(20);
    for (const id of ids) await journey.untilStatus(id, 'sent');
    for (const id of ids) expect(journey.provider.callsFor(id)).toHaveLength(2);
    expect(await retry(ids)).toMatchObject({ retried: 0, refused: { 'not-dead': 20 } });
  });

  test('may have been delivered → refused until the caller accepts a duplicate, then marked as one', async () => {
    const id = await dead({ delivery: 'at-most-once' } as object, takesAndVanishes);
    expect(await journey.postrider.deadLetters.get(id)).toMatchObject({
      status: 'unknown',
      mayHaveBeenDelivered: true,
    });
    expect(await retry([id])).toEqual({
      retried: 0,
      refused: { 'needs-confirmation': 1 },
      examples: [{ emailId: id, reason: 'needs-confirmation' }],
    });
    expect(await retry([id], { acceptDuplicates: true })).toMatchObject({ retried: 1 });
    expect(await journey.untilStatus(id, 'sent')).toMatchObject({ possibleDuplicate: true });
    expect(journey.provider.callsFor(id).map((call) => call.messageId)).toEqual(
      Array(2).fill(journey.provider.callsFor(id)[0]!.messageId),
    );
    expect(await objections(id)).toEqual([]);
  });

  test('content gone, expired, of another tenant or never there → refused, each with its reason', async () => {
    const [gone, late, foreign] = [await dead(), await dead(), await dead({ companyId: 'owner' })];
    await journey.pool.query('delete from postrider.email_bodies where email_id = $1', [gone]);
    await journey.pool.query('update postrider.emails set expires_at = now() where id = $1', [late]);
    const nobody = '01890000-0000-7000-8000-000000000001';
    expect((await retry([gone, late, nobody])).examples).toEqual([
      { emailId: gone, reason: 'content-gone' },
      { emailId: late, reason: 'expired' },
      { emailId: nobody, reason: 'not-found' },
    ]);
    const answer = await journey.postrider.deadLetters.retry({ emailIds: [foreign], companyId: 'thief' });
    expect(answer).toMatchObject({ retried: 0, refused: { 'not-found': 1 } });
    expect(await journey.postrider.deadLetters.discard({ emailIds: [foreign], companyId: 'thief' })).toEqual({
      discarded: 0,
    });
  });

  test('fails again in its new round → waits begin anew, and it is a dead letter that can be retried again', async () => {
    const email = anEmail({ retry: 'broker' } as object);
    journey.provider.script(email.to, rejected, deferred, rejected, takes);
    const { emailId } = await journey.postrider.send(email);
    await journey.untilStatus(emailId, 'failed');
    await retry([emailId]);
    const waiting = await waitFor(
      async () => {
        const log = await journey.postrider.get(emailId);
        return log?.nextAttemptAt ? log : null;
      },
      { timeoutMs: 10_000, what: 'a wait' },
    );
    expect(waiting).toMatchObject({ status: 'retry', attempts: 2, maxAttempts: 5 });
    const scheduled = (await journey.postrider.timeline(emailId)).find((e) => e.type === 'RETRY_SCHEDULED');
    expect(scheduled?.metadata.backoffDelay).toBeGreaterThan(4000);
    expect(scheduled?.metadata.backoffDelay).toBeLessThan(6000);
    await journey.hurry(emailId);
    await journey.untilStatus(emailId, 'failed');
    expect(await retry([emailId])).toMatchObject({ retried: 1 });
    expect(await journey.untilStatus(emailId, 'sent')).toMatchObject({ attempts: 4 });
    expect(await objections(emailId)).toEqual([]);
  });

  test('discarded → off the list, still failed in the log, and no longer retried', async () => {
    const id = await dead({ companyId: 'discarded' });
    const discard = () =>
      journey.postrider.deadLetters.discard({ filter: { companyId: 'discarded' } }, { reason: 'left us' });
    expect(await discard()).toEqual({ discarded: 1 });
    expect(await discard()).toEqual({ discarded: 0 });
    expect(await journey.postrider.get(id)).toMatchObject({ status: 'failed' });
    expect(await retry([id])).toMatchObject({ retried: 0, refused: { 'not-dead': 1 } });
    expect((await journey.eventTypes(id)).at(-1)).toBe('DISCARDED');
    expect(await objections(id)).toEqual([]);
  });

  test('only some recipients were reached → another round is for the others alone', async () => {
    const email = anEmail({ cc: ['second@example.net'], retry: 'broker' } as object);
    journey.provider.script(
      email.to,
      async ({ id }) => ({
        ...(sent(id) as Extract<Outcome, { kind: 'sent' }>),
        remaining: [{ address: 'second@example.net', code: 'SMTP_451', message: 'later' }],
      }),
      rejected,
      takes,
    );
    const { emailId } = await journey.postrider.send(email);
    await journey.untilStatus(emailId, 'retry');
    await journey.hurry(emailId);
    await journey.untilStatus(emailId, 'failed');
    await retry([emailId]);
    await journey.untilStatus(emailId, 'sent');
    expect(journey.provider.callsFor(emailId).at(-1)?.recipients).toEqual(['second@example.net']);
  });

  test('pages → every dead letter once, also when more come in between', async () => {
    const ids = [];
    for (let n = 0; n < 5; n++) ids.unshift(await dead({ companyId: 'paged' }));
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await journey.postrider.deadLetters.list({ companyId: 'paged', limit: 2, cursor });
      seen.push(...page.deadLetters.map((letter) => letter.id));
      cursor = page.nextCursor ?? undefined;
      await dead({ companyId: 'paged' });
    } while (cursor);
    expect(seen).toEqual(ids);
  });

  test.each([
    [{ emailIds: [] }, 'emailIds'],
    [{ emailIds: ['x'] }, 'emailIds[0]'],
    [{}, 'emailIds'],
    [{ filter: { statsu: 'failed' } }, 'filter.statsu'],
    [{ filter: { status: 'sent' } }, 'filter.status'],
  ])('retry of %j → refused, naming %s', async (which, field) => {
    await expect(journey.postrider.deadLetters.retry(which as never)).rejects.toMatchObject({ field });
  });

  /** What the ledger's checker objects to about these emails. */
  async function objections(...ids: string[]): Promise<string[]> {
    const problems = await checkLedger(journey.pool, ids, taken);
    return problems.filter((problem) => ids.some((id) => problem.includes(id)));
  }
});

describe('dead letters on PGlite', () => {
  test('failed, then retried twice → sent once more; discarded → off the list', async ({
    onTestFinished,
  }) => {
    const { postrider, provider, close } = await openEmbedded();
    onTestFinished(close);
    const [first, second] = [anEmail(), anEmail()];
    provider.script(first.to, rejected, async ({ id }) => sent(id));
    provider.script(second.to, rejected);
    await postrider.start();
    const sentOnes = await postrider.sendBatch([first, second]);
    const [retried, discarded] = sentOnes.map(({ emailId }) => emailId) as [string, string];
    await waitFor(async () => (await postrider.deadLetters.list()).deadLetters.length === 2, {
      timeoutMs: 20_000,
      what: 'two dead letters',
    });
    const reports = await Promise.all([1, 2].map(() => postrider.deadLetters.retry({ emailIds: [retried] })));
    expect(reports.map((report) => report.retried).sort()).toEqual([0, 1]);
    await waitFor(async () => (await postrider.get(retried))?.status === 'sent', {
      timeoutMs: 20_000,
      what: 'the retried one to be sent',
    });
    expect(await postrider.deadLetters.discard({ emailIds: [discarded] })).toEqual({ discarded: 1 });
    expect(await postrider.deadLetters.groups()).toEqual([]);
  });
});
