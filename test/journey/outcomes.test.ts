import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { EmailEvent } from '../../src/index.js';
import { waitFor } from '../services/index.js';
import { anEmail, type Journey, openJourney } from './ground/open-journey.js';
import { answerLost, deferred, rejected, sent } from './ground/scripted-provider.js';

/** What a provider can answer, and what is then written down: status, journal and metadata. */
describe('outcomes on PostgreSQL', () => {
  let journey: Journey;
  beforeAll(async () => {
    journey = await openJourney();
    await journey.postrider.start();
  });
  afterAll(() => journey.close());

  const find = (events: EmailEvent[], type: string) => events.find((event) => event.type === type)!;

  test('sent → full trail without gaps, with message id, duration and attempt', async () => {
    const { postrider, untilStatus, provider } = journey;
    const accepted = await postrider.send(anEmail({ companyId: 'acme', type: 'welcome', priority: 2 }), {
      requestId: 'req-1',
    });
    expect(accepted).toMatchObject({ queued: true, requestId: 'req-1', status: 'pending' });
    const log = await untilStatus(accepted.emailId, 'sent');
    expect(log).toMatchObject({
      companyId: 'acme',
      type: 'welcome',
      provider: 'scripted',
      messageId: `p-${accepted.emailId}`,
      attempts: 1,
      errorCode: null,
      possibleDuplicate: false,
      failedAt: null,
    });
    expect(log.sentAt).not.toBeNull();
    expect(log.processedAt).toBe(log.sentAt);
    const events = await postrider.timeline(accepted.emailId);
    expect(events.map(({ type }) => type)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
    expect(events.map(({ sequence }) => sequence)).toEqual([1, 2, 3, 4, 5]);
    const times = events.map(({ createdAt }) => Date.parse(createdAt));
    expect(times).toEqual([...times].sort((a, b) => a - b));
    expect(find(events, 'ENQUEUED').metadata).toMatchObject({
      requestId: 'req-1',
      priority: 2,
      type: 'welcome',
    });
    expect(find(events, 'VALIDATED').metadata).toMatchObject({
      validations: ['INTEGRITY', 'OUTBOX', 'RECIPIENT', 'TEMPLATE'],
    });
    expect(find(events, 'SENT_ATTEMPT').metadata).toMatchObject({ provider: 'scripted', attempt: 1 });
    expect(find(events, 'SENT').metadata).toMatchObject({
      messageId: `p-${accepted.emailId}`,
      attempt: 1,
      durationMs: expect.any(Number),
    });
    expect(provider.callsFor(accepted.emailId)).toMatchObject([
      { messageId: `<${accepted.emailId}@example.com>` },
    ]);
  });

  test('deferred → RETRY_SCHEDULED with backoff and next number, then sent on the second attempt', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail();
    provider.script(email.to, deferred, sent('second'));
    const { emailId } = await postrider.send(email);
    const waiting = await untilStatus(emailId, 'retry');
    expect(waiting).toMatchObject({ errorCode: 'SMTP_451', attempts: 1, processedAt: null });
    expect(Date.parse(waiting.nextAttemptAt!)).toBeGreaterThan(Date.parse(waiting.updatedAt));
    const { metadata } = find(await postrider.timeline(emailId), 'RETRY_SCHEDULED');
    expect(metadata).toMatchObject({
      errorCode: 'SMTP_451',
      errorCategory: 'TRANSIENT_ERROR',
      errorMessage: 'try again later',
      originalCode: 451,
      willRetry: true,
      attempt: 1,
      nextAttemptNumber: 2,
    });
    expect(metadata.backoffDelay).toBeGreaterThanOrEqual(740);
    expect(metadata.backoffDelay).toBeLessThanOrEqual(1250);
    expect(await untilStatus(emailId, 'sent')).toMatchObject({ attempts: 2, errorCode: null });
    const [first, second] = provider.callsFor(emailId);
    expect(second!.at - first!.at).toBeGreaterThanOrEqual(740);
    expect(second!.messageId).toBe(first!.messageId);
    expect(find(await postrider.timeline(emailId), 'SENT').metadata).toMatchObject({ attempt: 2 });
  });

  test('a server that asks for a later time → its wish wins over the preset', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail();
    provider.script(email.to, { ...deferred, retryAt: Date.now() + 60_000 });
    const { emailId } = await postrider.send(email);
    const { nextAttemptAt } = await untilStatus(emailId, 'retry');
    expect(Date.parse(nextAttemptAt!) - Date.now()).toBeGreaterThan(50_000);
    await postrider.cancel(emailId);
  });

  test('rejected → FAILED with code, category, message and the original code; never tried again', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail();
    provider.script(email.to, rejected);
    const { emailId } = await postrider.send(email);
    const log = await untilStatus(emailId, 'failed');
    expect(log).toMatchObject({
      errorCode: 'SMTP_550',
      errorReason: 'no such user',
      lastError: 'no such user',
      messageId: null,
      sentAt: null,
      attempts: 1,
    });
    expect(log.failedAt).not.toBeNull();
    const events = await postrider.timeline(emailId);
    expect(events.at(-1)).toMatchObject({
      type: 'FAILED',
      metadata: {
        errorCode: 'SMTP_550',
        errorCategory: 'PERMANENT_ERROR',
        errorMessage: 'no such user',
        originalCode: 550,
        willRetry: false,
      },
    });
    expect(provider.callsFor(emailId)).toHaveLength(1);
  });

  test('deferred until the attempts are used up → failed, one call per attempt', async () => {
    const { postrider, untilStatus, provider, hurry } = journey;
    const email = anEmail({ retry: 'broker' });
    provider.script(email.to, deferred);
    const { emailId } = await postrider.send(email);
    for (const attempts of [1, 2, 3]) {
      await waitFor(async () => (await postrider.get(emailId))?.attempts === attempts, {
        timeoutMs: 5000,
        what: `attempt ${attempts}`,
      });
      await untilStatus(emailId, 'retry');
      await hurry(emailId);
    }
    const log = await untilStatus(emailId, 'failed');
    expect(log).toMatchObject({ attempts: 4, maxAttempts: 4, errorCode: 'SMTP_451' });
    expect(provider.callsFor(emailId)).toHaveLength(4);
    const events = await postrider.timeline(emailId);
    expect(events.at(-1)!.metadata).toMatchObject({
      failureType: 'MAX_RETRIES_EXCEEDED',
      willRetry: false,
      attempt: 4,
    });
    expect(events.map(({ sequence }) => sequence)).toEqual(events.map((_, index) => index + 1));
  });

  test('unclassified failure with the broker preset → failed at once', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail({ retry: 'broker' });
    provider.script(email.to, { ...deferred, unclassified: true });
    const { emailId } = await postrider.send(email);
    expect(await untilStatus(emailId, 'failed')).toMatchObject({ attempts: 1 });
  });

  test('answer lost, at-least-once → retried with the same Message-ID and marked possible duplicate', async () => {
    const { postrider, untilStatus, provider, hurry } = journey;
    const email = anEmail();
    provider.script(email.to, answerLost, sent('second'));
    const { emailId } = await postrider.send(email);
    expect(await untilStatus(emailId, 'retry')).toMatchObject({ possibleDuplicate: true });
    await hurry(emailId);
    expect(await untilStatus(emailId, 'sent')).toMatchObject({ possibleDuplicate: true, attempts: 2 });
    const [first, second] = provider.callsFor(emailId);
    expect(second!.messageId).toBe(first!.messageId);
    expect(await journey.eventTypes(emailId)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'OUTCOME_UNKNOWN',
      'RETRY_SCHEDULED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'SENT',
    ]);
    const attempts = (await postrider.timeline(emailId)).filter(({ type }) => type === 'SENT_ATTEMPT');
    expect(attempts[1]!.metadata).toMatchObject({ possibleDuplicate: true });
  });

  test('answer lost, at-most-once → unknown, and never repeated', async () => {
    const { postrider, untilStatus, provider, pool } = journey;
    const email = anEmail({ delivery: 'at-most-once' });
    provider.script(email.to, answerLost);
    const { emailId } = await postrider.send(email);
    const log = await untilStatus(emailId, 'unknown');
    expect(log).toMatchObject({ possibleDuplicate: true, sentAt: null, failedAt: null });
    expect(await journey.eventTypes(emailId)).toEqual([
      'ENQUEUED',
      'RECEIVED',
      'VALIDATED',
      'SENT_ATTEMPT',
      'OUTCOME_UNKNOWN',
    ]);
    const queued = await pool.query('select 1 from postrider.email_queue where id = $1', [emailId]);
    expect(queued.rowCount).toBe(0);
    expect(provider.callsFor(emailId)).toHaveLength(1);
  });

  test('a provider that throws → treated as answer lost, not as sent', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail({ delivery: 'at-most-once' });
    provider.script(email.to, async () => {
      throw new Error('boom');
    });
    const { emailId } = await postrider.send(email);
    expect(await untilStatus(emailId, 'unknown')).toMatchObject({
      errorCode: 'PROVIDER_FAULT',
      lastError: 'boom',
    });
  });

  test('an answer with characters no database stores → settled all the same', async () => {
    const { postrider, untilStatus, provider } = journey;
    const email = anEmail();
    const nasty = `bad\0reply \ud800`;
    provider.script(email.to, {
      ...rejected,
      message: nasty,
      trace: { stage: 'rcpt', response: nasty, conversation: [nasty] },
    });
    const { emailId } = await postrider.send(email);
    expect(await untilStatus(emailId, 'failed')).toMatchObject({ errorCode: 'SMTP_550' });
  });

  test('three recipients, one deferred → only that one is tried again', async () => {
    const { postrider, untilStatus, provider, hurry } = journey;
    const email = anEmail();
    provider.script(
      email.to,
      {
        kind: 'sent',
        providerMessageId: 'part',
        trace: { stage: 'reply' },
        remaining: [{ address: 'slow@example.net', code: 'SMTP_450', message: 'busy' }],
      },
      sent('rest'),
    );
    const { emailId } = await postrider.send({
      ...email,
      cc: 'slow@example.net',
      bcc: 'hidden@example.net',
    });
    expect(await untilStatus(emailId, 'retry')).toMatchObject({ errorCode: 'SMTP_450' });
    await hurry(emailId);
    await untilStatus(emailId, 'sent');
    expect(provider.callsFor(emailId).map(({ recipients }) => recipients)).toEqual([
      [email.to, 'slow@example.net', 'hidden@example.net'],
      ['slow@example.net'],
    ]);
  });

  test('one of two deferred again and again → the others get it once', async () => {
    const { postrider, untilStatus, provider, hurry } = journey;
    const email = anEmail();
    const busy = { address: 'slow@example.net', code: 'SMTP_450', message: 'busy' };
    const part = { kind: 'sent', providerMessageId: 'part', trace: { stage: 'reply' } } as const;
    provider.script(email.to, { ...part, remaining: [busy] }, deferred, deferred, sent('rest'));
    const { emailId } = await postrider.send({ ...email, cc: 'slow@example.net', bcc: 'hidden@example.net' });
    for (const attempts of [1, 2, 3]) {
      await waitFor(async () => (await postrider.get(emailId))?.attempts === attempts, {
        timeoutMs: 10_000,
        what: `attempt ${attempts}`,
      });
      await hurry(emailId);
    }
    await untilStatus(emailId, 'sent');
    expect(provider.callsFor(emailId).map(({ recipients }) => recipients)).toEqual([
      [email.to, 'slow@example.net', 'hidden@example.net'],
      ...Array.from({ length: 3 }, () => ['slow@example.net']),
    ]);
  });
});
