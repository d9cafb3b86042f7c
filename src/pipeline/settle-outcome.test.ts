import { describe, expect, test } from 'vitest';
import { ManualClock } from '../kernel/index.js';
import type { OpenedEmail } from '../outbox/index.js';
import type { Deferred, Outcome } from '../providers/index.js';
import { openedEmail } from './opened-email.fixture.js';
import { settleOutcome } from './settle-outcome.js';

describe('retry or give up', () => {
  const clock = new ManualClock();
  const decide = (outcome: Outcome, parts: Partial<OpenedEmail> = {}, random = 0.5) =>
    settleOutcome(openedEmail(parts), outcome, { clock, random: () => random });
  const failure = {
    scope: 'recipient' as const,
    code: 'SMTP_451',
    category: 'TRANSIENT_ERROR' as const,
    message: 'later',
    trace: { stage: 'rcpt', responseCode: 451, response: '451 later', conversation: ['RCPT', '451 later'] },
  };
  const deferred: Deferred = { kind: 'deferred', ...failure };

  test('sent → SENT with the provider’s id', () => {
    expect(decide({ kind: 'sent', providerMessageId: 'm-1', trace: { stage: 'reply' } })).toEqual({
      kind: 'settle',
      events: ['SENT'],
      settlement: {
        status: 'sent',
        providerMessageId: 'm-1',
        errorCode: null,
        errorCategory: null,
        errorMessage: null,
        retryDelayMs: null,
        detail: null,
        remaining: null,
        possibleDuplicate: false,
        repeatableMs: null,
      },
    });
  });

  test('sent after an unknown → still says it may be a duplicate', () => {
    const decision = decide(
      { kind: 'sent', providerMessageId: null, trace: { stage: 'reply', response: '250 ok' } },
      { possibleDuplicate: true },
    );
    expect(decision).toMatchObject({
      settlement: { detail: { possibleDuplicate: true, response: '250 ok' } },
    });
  });

  test('sent to some → retry for the others only', () => {
    const remaining = [{ address: 'b@example.net', code: 'SMTP_450', message: 'busy' }];
    const refused = [{ address: 'c@example.net', code: 'SMTP_550', message: 'no' }];
    const outcome: Outcome = {
      kind: 'sent',
      providerMessageId: 'm-1',
      trace: { stage: 'reply' },
      remaining,
      refused,
    };
    expect(decide(outcome)).toMatchObject({
      events: ['RETRY_SCHEDULED'],
      settlement: {
        status: 'retry',
        remaining: ['b@example.net'],
        providerMessageId: 'm-1',
        errorCode: 'SMTP_450',
        detail: { remaining, refused },
      },
    });
    expect(decide(outcome, { attempt: 5 })).toMatchObject({
      events: ['FAILED'],
      settlement: { status: 'failed' },
    });
  });

  test.each([
    [1, 1000],
    [2, 5000],
    [3, 30_000],
    [4, 120_000],
  ])('deferred on attempt %i of gateway → RETRY_SCHEDULED after %i ms', (attempt, retryDelayMs) => {
    expect(decide(deferred, { attempt })).toMatchObject({
      kind: 'settle',
      events: ['RETRY_SCHEDULED'],
      settlement: {
        status: 'retry',
        retryDelayMs,
        errorCode: 'SMTP_451',
        errorCategory: 'TRANSIENT_ERROR',
        errorMessage: 'later',
        detail: {
          stage: 'rcpt',
          originalCode: 451,
          response: '451 later',
          conversation: ['RCPT', '451 later'],
        },
      },
    });
  });

  test('jitter → a quarter up or down', () => {
    expect(decide(deferred, {}, 0)).toMatchObject({ settlement: { retryDelayMs: 750 } });
    expect(decide(deferred, {}, 1)).toMatchObject({ settlement: { retryDelayMs: 1250 } });
  });

  test('a server’s wish → wins when it is later, loses when it is sooner', () => {
    const asked = (ms: number) => decide({ ...deferred, retryAt: clock.now() + ms });
    expect(asked(60_000)).toMatchObject({ settlement: { retryDelayMs: 60_000 } });
    expect(asked(10)).toMatchObject({ settlement: { retryDelayMs: 1000 } });
    expect(asked(-10)).toMatchObject({ settlement: { retryDelayMs: 1000 } });
  });

  test('deferred on the last attempt → FAILED, attempts used up', () => {
    expect(decide(deferred, { attempt: 5 })).toMatchObject({
      events: ['FAILED'],
      settlement: { status: 'failed', retryDelayMs: null, detail: { failureType: 'MAX_RETRIES_EXCEEDED' } },
    });
  });

  test('the cap on attempts → wins over the preset', () => {
    expect(decide(deferred, { attempt: 2, maxAttempts: 2 })).toMatchObject({ events: ['FAILED'] });
    expect(decide(deferred, { attempt: 5, maxAttempts: 6 })).toMatchObject({
      settlement: { retryDelayMs: 600_000 },
    });
  });

  test('unclassified → retried by gateway, failed by broker', () => {
    const odd: Outcome = { ...deferred, unclassified: true };
    expect(decide(odd)).toMatchObject({ settlement: { status: 'retry' } });
    expect(decide(odd, { retry: 'broker' })).toMatchObject({
      settlement: { status: 'failed', detail: { failureType: 'UNKNOWN_ERROR' } },
    });
  });

  test('deferred through no fault of the email → released, costs no attempt', () => {
    expect(decide({ ...deferred, code: 'QUOTA', uncounted: true, retryAt: clock.now() + 500 })).toEqual({
      kind: 'release',
      why: 'QUOTA',
      delayMs: 500,
    });
  });

  test('rejected → FAILED on the first attempt', () => {
    expect(decide({ ...failure, kind: 'rejected', category: 'PERMANENT_ERROR' })).toMatchObject({
      events: ['FAILED'],
      settlement: { status: 'failed', errorCategory: 'PERMANENT_ERROR', detail: { willRetry: false } },
    });
  });

  test('unknown → retried and marked; at-most-once or the last attempt → stays unknown', () => {
    const unknown: Outcome = { ...failure, kind: 'unknown' };
    expect(decide(unknown)).toMatchObject({
      events: ['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'],
      settlement: { status: 'retry', possibleDuplicate: true, detail: { possibleDuplicate: true } },
    });
    for (const parts of [{ delivery: 'at-most-once' as const }, { attempt: 5 }]) {
      expect(decide(unknown, parts)).toMatchObject({
        events: ['OUTCOME_UNKNOWN'],
        settlement: { status: 'unknown', retryDelayMs: null },
      });
    }
  });

  describe('an unknown the provider would recognise', () => {
    const day = 24 * 3_600_000;
    const unknown: Outcome = { ...failure, kind: 'unknown', repeatableUntil: clock.now() + day };
    const atMostOnce = { delivery: 'at-most-once' as const };

    test.each(['at-least-once', 'at-most-once'] as const)('%s → retried, and no duplicate', (delivery) => {
      const decision = decide(unknown, { delivery });
      expect(decision).toMatchObject({
        events: ['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'],
        settlement: { status: 'retry', possibleDuplicate: false, repeatableMs: day },
      });
      expect(decision).not.toHaveProperty('settlement.detail.possibleDuplicate');
    });

    test('again unknown → counted from the first', () => {
      expect(decide(unknown, { repeatableMs: day / 2 })).toMatchObject({
        settlement: { repeatableMs: day / 2 },
      });
    });

    test('no attempt left, or its time nearly over → as any unknown', () => {
      expect(decide(unknown, { attempt: 5, ...atMostOnce })).toMatchObject({
        settlement: { status: 'unknown', detail: { possibleDuplicate: true } },
      });
      expect(decide(unknown, { repeatableMs: 60_000, ...atMostOnce })).toMatchObject({
        settlement: { status: 'unknown' },
      });
      expect(decide(unknown, { repeatableMs: 60_000 })).toMatchObject({
        settlement: { status: 'retry', possibleDuplicate: true, repeatableMs: null },
      });
    });

    test('given up after it → may have been delivered all the same', () => {
      const last = { attempt: 5, repeatableMs: day / 2 };
      expect(decide(deferred, { ...last, ...atMostOnce })).toMatchObject({
        events: ['OUTCOME_UNKNOWN'],
        settlement: { status: 'unknown', detail: { possibleDuplicate: true } },
      });
      expect(decide(deferred, last)).toMatchObject({
        events: ['FAILED'],
        settlement: { status: 'failed', detail: { possibleDuplicate: true } },
      });
    });
  });

  test('misconfigured → the route pauses, the email is not judged', () => {
    expect(decide({ ...failure, kind: 'misconfigured', code: 'SMTP_535', message: 'no\0' })).toMatchObject({
      kind: 'pause-route',
      why: 'SMTP_535: no\ufffd',
    });
  });
});
