import { describe, expect, test } from 'vitest';
import { EMAIL_STATUSES, type EventType, findIllegalEvent, TRANSITIONS } from './transition-table.js';

describe('transition table', () => {
  test('every status → can be reached, and what is not an end can be left', () => {
    const reached = new Set<string>(Object.values(TRANSITIONS).flatMap(({ to }) => [...to]));
    expect(EMAIL_STATUSES.filter((status) => !reached.has(status))).toEqual([]);
    for (const status of ['scheduled', 'pending', 'processing', 'retry'] as const) {
      const leaving = Object.values(TRANSITIONS).filter(({ from, to }) => {
        const targets: readonly string[] = to;
        return (
          (from as readonly unknown[]).includes(status) &&
          targets.some((target) => target !== 'same' && target !== status)
        );
      });
      expect(leaving.length, status).toBeGreaterThan(0);
    }
  });

  test('an end → never leads back to sending, but for what a person asks for', () => {
    for (const end of ['sent', 'cancelled', 'suppressed', 'expired']) {
      const moves = Object.entries(TRANSITIONS).filter(
        ([, { from, to }]) =>
          (from as readonly unknown[]).includes(end) &&
          !(to as readonly string[]).every((target) => target === 'same'),
      );
      expect(moves, end).toEqual([]);
    }
  });

  test.each<EventType[][]>([
    [['ENQUEUED', 'RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT', 'DELIVERED', 'OPENED']],
    [
      [
        'ENQUEUED',
        'RECEIVED',
        'VALIDATION_FAILED',
        'FAILED',
        'REQUEUED',
        'RECEIVED',
        'VALIDATED',
        'SENT_ATTEMPT',
        'SENT',
      ],
    ],
    [['ENQUEUED', 'RESCHEDULED', 'RELEASED', 'RECEIVED', 'OUTCOME_UNKNOWN', 'RETRY_SCHEDULED', 'CANCELLED']],
    [['ENQUEUED', 'RECEIVED', 'OUTCOME_UNKNOWN', 'FAILED']],
    [['ENQUEUED', 'EXPIRED']],
    [['ENQUEUED', 'SUPPRESSED']],
  ])('%j → legal', (events) => {
    expect(findIllegalEvent(events)).toBeNull();
  });

  test.each<[EventType[], number]>([
    [['RECEIVED'], 0],
    [['ENQUEUED', 'ENQUEUED'], 1],
    [['ENQUEUED', 'SENT'], 1],
    [['ENQUEUED', 'RECEIVED', 'SENT', 'RECEIVED'], 3],
    [['ENQUEUED', 'CANCELLED', 'RECEIVED'], 2],
    [['ENQUEUED', 'RECEIVED', 'CANCELLED'], 2],
    [['ENQUEUED', 'EXPIRED', 'CANCELLED'], 2],
    [['ENQUEUED', 'RECEIVED', 'SENT', 'FAILED'], 3],
    [['ENQUEUED', 'DELIVERED'], 1],
  ])('%j → illegal at %i', (events, index) => {
    expect(findIllegalEvent(events)).toEqual({ index, event: events[index] });
  });
});
