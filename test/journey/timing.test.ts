import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { deferred, gate, sent } from './ground/scripted-provider.js';

/** Sending later, moving, taking back and running out of time. */
describe('time on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney({ config: { worker: { concurrency: 1 } } });
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  const inMs = (ms: number) => new Date(Date.now() + ms);

  test('schedule for later → scheduled, not sent before its time, sent after it', async () => {
    const { postrider, provider, untilStatus } = journey;
    const due = Date.now() + 1200;
    const { emailId, status } = await postrider.schedule(anEmail(), new Date(due));
    expect(status).toBe('scheduled');
    const log = await postrider.get(emailId);
    expect(log).toMatchObject({ status: 'scheduled', scheduledAt: new Date(due).toISOString() });
    expect(await journey.eventTypes(emailId)).toEqual(['ENQUEUED']);
    const { sentAt } = await untilStatus(emailId, 'sent');
    expect(Date.parse(sentAt!)).toBeGreaterThanOrEqual(due);
    expect(Date.parse(sentAt!) - due).toBeLessThan(10_000);
    expect(provider.callsFor(emailId)).toHaveLength(1);
  });

  test('a schedule in the past → sent at once', async () => {
    const { emailId, status } = await journey.postrider.schedule(anEmail(), inMs(-60_000));
    expect(status).toBe('pending');
    await journey.untilStatus(emailId, 'sent');
  });

  test('reschedule to sooner and to later → goes out at the new time only', async () => {
    const { postrider, provider, untilStatus } = journey;
    const sooner = await postrider.schedule(anEmail(), inMs(3_600_000));
    await postrider.reschedule(sooner.emailId, inMs(100));
    await untilStatus(sooner.emailId, 'sent');
    expect(await journey.eventTypes(sooner.emailId)).toEqual([
      'ENQUEUED',
      'RESCHEDULED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
    const later = await postrider.schedule(anEmail(), inMs(300));
    const moved = inMs(3_600_000);
    await postrider.reschedule(later.emailId, moved);
    const pacer = await postrider.schedule(anEmail(), inMs(600));
    await untilStatus(pacer.emailId, 'sent');
    expect(await postrider.get(later.emailId)).toMatchObject({
      status: 'scheduled',
      nextAttemptAt: moved.toISOString(),
    });
    expect(provider.callsFor(later.emailId)).toHaveLength(0);
    await postrider.cancel(later.emailId);
  });

  test('cancel of a scheduled email → cancelled, never sent, and cannot be cancelled or moved again', async () => {
    const { postrider, provider, untilStatus } = journey;
    const { emailId } = await postrider.schedule(anEmail(), inMs(300));
    expect(await postrider.cancel(emailId)).toMatchObject({ id: emailId, status: 'cancelled' });
    const pacer = await postrider.schedule(anEmail(), inMs(600));
    await untilStatus(pacer.emailId, 'sent');
    expect(provider.callsFor(emailId)).toHaveLength(0);
    expect(await journey.eventTypes(emailId)).toEqual(['ENQUEUED', 'CANCELLED']);
    await expect(postrider.cancel(emailId)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
    await expect(postrider.reschedule(emailId, inMs(1000))).rejects.toMatchObject({
      code: 'EMAIL_NOT_CANCELLABLE',
    });
  });

  test('cancel of a sent email → EMAIL_NOT_CANCELLABLE; of none → EMAIL_NOT_FOUND; of another company → not found', async () => {
    const { postrider, untilStatus } = journey;
    const { emailId } = await postrider.send(anEmail());
    await untilStatus(emailId, 'sent');
    await expect(postrider.cancel(emailId)).rejects.toMatchObject({
      code: 'EMAIL_NOT_CANCELLABLE',
      status: 409,
    });
    await expect(postrider.cancel('00000000-0000-7000-8000-000000000000')).rejects.toMatchObject({
      code: 'EMAIL_NOT_FOUND',
      status: 404,
    });
    const waiting = await postrider.schedule(anEmail({ companyId: 'acme' }), inMs(3_600_000));
    await expect(postrider.cancel(waiting.emailId, { companyId: 'other' })).rejects.toMatchObject({
      code: 'EMAIL_NOT_FOUND',
    });
    expect(await postrider.cancel(waiting.emailId, { companyId: 'acme' })).toMatchObject({
      status: 'cancelled',
    });
  });

  test('cancel while it waits for its next attempt → cancelled, no second call', async () => {
    const { postrider, provider, untilStatus } = journey;
    const email = anEmail();
    provider.script(email.to, deferred);
    const { emailId } = await postrider.send(email);
    await untilStatus(emailId, 'retry');
    expect(await postrider.cancel(emailId)).toMatchObject({ status: 'cancelled' });
    expect(provider.callsFor(emailId)).toHaveLength(1);
  });

  test('cancel while claimed but not begun → never sent; while being sent → refused and sent', async () => {
    const { postrider, provider, pool, untilStatus } = journey;
    const slow = anEmail();
    const { answer, held, open } = gate();
    onTestFinished(open);
    provider.script(slow.to, answer);
    const busy = await postrider.send(slow);
    await held;
    const behind = await postrider.send(anEmail());
    await waitFor(
      async () => {
        const { rows } = await pool.query('select owner, begun from postrider.email_queue where id = $1', [
          behind.emailId,
        ]);
        return rows[0]?.owner !== null && rows[0]?.begun === false;
      },
      { timeoutMs: 5000, what: 'the second email to be claimed and not begun' },
    );
    expect(await postrider.get(behind.emailId)).toMatchObject({ status: 'processing' });
    await expect(postrider.cancel(busy.emailId)).rejects.toMatchObject({ code: 'EMAIL_NOT_CANCELLABLE' });
    expect(await postrider.cancel(behind.emailId)).toMatchObject({ status: 'cancelled' });
    open();
    await untilStatus(busy.emailId, 'sent');
    const next = await postrider.send(anEmail());
    await untilStatus(next.emailId, 'sent');
    expect(provider.callsFor(behind.emailId)).toHaveLength(0);
    expect(await journey.eventTypes(behind.emailId)).toEqual(['ENQUEUED', 'CANCELLED']);
  });

  test('reschedule while claimed but not begun → sent at the new time, once', async () => {
    const { postrider, provider, pool, untilStatus } = journey;
    const slow = anEmail();
    const { answer, held, open } = gate();
    onTestFinished(open);
    provider.script(slow.to, answer);
    await postrider.send(slow);
    await held;
    const behind = await postrider.send(anEmail());
    await waitFor(
      async () =>
        (
          await pool.query('select 1 from postrider.email_queue where id = $1 and owner is not null', [
            behind.emailId,
          ])
        ).rowCount === 1,
      { timeoutMs: 5000, what: 'the second email to be claimed' },
    );
    await postrider.reschedule(behind.emailId, inMs(400));
    open();
    await untilStatus(behind.emailId, 'sent');
    expect(provider.callsFor(behind.emailId)).toHaveLength(1);
  });

  test('expires while nobody has taken it → expired by the sweeper, never sent', async () => {
    const { postrider, provider, untilStatus } = journey;
    await journey.pauseAndBeKnown('tenant', 'late');
    const { emailId } = await postrider.send(anEmail({ companyId: 'late', expiresAt: inMs(500) }));
    const log = await untilStatus(emailId, 'expired');
    expect(log.processedAt).not.toBeNull();
    await postrider.resume('tenant', 'late');
    const next = await postrider.send(anEmail({ companyId: 'late' }));
    await untilStatus(next.emailId, 'sent');
    expect(provider.callsFor(emailId)).toHaveLength(0);
    expect((await journey.eventTypes(emailId)).at(-1)).toBe('EXPIRED');
  });

  test('expires after its claim and before its attempt → expired, never sent', async () => {
    const { postrider, provider, pool, untilStatus } = journey;
    const slow = anEmail();
    const { answer, held, open } = gate();
    onTestFinished(open);
    provider.script(slow.to, answer);
    await postrider.send(slow);
    await held;
    const { emailId } = await postrider.send(anEmail({ expiresAt: inMs(400) }));
    await waitFor(
      async () =>
        (
          await pool.query(
            'select 1 from postrider.email_queue where id = $1 and owner is not null and expires_at < clock_timestamp()',
            [emailId],
          )
        ).rowCount === 1,
      { timeoutMs: 5000, what: 'the claimed email to run out of time' },
    );
    open();
    await untilStatus(emailId, 'expired');
    expect(provider.callsFor(emailId)).toHaveLength(0);
  });

  test('expires between two attempts → expired, no second call', async () => {
    const { postrider, provider, untilStatus } = journey;
    const email = anEmail({ expiresAt: inMs(600), retry: 'broker' });
    provider.script(email.to, deferred, sent('late'));
    const { emailId } = await postrider.send(email);
    await untilStatus(emailId, 'expired');
    expect(provider.callsFor(emailId)).toHaveLength(1);
  });

  test('a due row locked by an open transaction → the sweeper does not spin', async () => {
    const { postrider, pool } = journey;
    const { emailId } = await postrider.schedule(anEmail(), inMs(3_600_000));
    const client = await pool.connect();
    const sweeps = async () =>
      Number(
        (
          await pool.query(
            'select sum(xact_commit) as n from pg_stat_database where datname = current_database()',
          )
        ).rows[0].n,
      );
    try {
      await client.query('begin');
      await client.query('update postrider.email_queue set due_at = clock_timestamp() where id = $1', [
        emailId,
      ]);
      await client.query('commit');
      await client.query('begin');
      await client.query('select 1 from postrider.email_queue where id = $1 for update', [emailId]);
      const before = await sweeps();
      const pacer = await postrider.schedule(anEmail(), inMs(1500));
      await journey.untilStatus(pacer.emailId, 'sent');
      expect((await sweeps()) - before).toBeLessThan(500);
    } finally {
      await client.query('rollback');
      client.release();
    }
    await journey.untilStatus(emailId, 'sent');
  });
});
