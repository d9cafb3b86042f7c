import { describe, expect, test } from 'vitest';
import { readCursor, readLimit } from './email-logs.js';
import { CANCEL_FILTER, EMAIL_FILTER } from './outbox/index.js';
import { readEmailFilter } from './read-email-filter.js';

const NOW = Date.UTC(2026, 5, 15, 12, 3, 20);
const read = (input: object) => readEmailFilter(EMAIL_FILTER, input, NOW);

describe('a filter', () => {
  test('of everything → what the rooms take; a day as `to` includes all of it', () => {
    expect(
      read({
        companyId: 'acme',
        status: 'failed',
        type: 't',
        recipient: 'A@Example.NET',
        from: '2026-06-01',
        to: '2026-06-02',
      }),
    ).toEqual({
      tenant: 'acme',
      status: 'failed',
      type: 't',
      recipients: ['a@example.net'],
      since: new Date('2026-06-01T00:00:00Z'),
      until: new Date('2026-06-03T00:00:00Z'),
    });
  });

  test('of an address in other letters → its small and its large form, since not every store knows them', () => {
    expect(read({ recipient: 'Ünn@example.net' })).toEqual({
      recipients: ['ünn@example.net', 'Ünn@example.net', 'ÜNN@EXAMPLE.NET'],
    });
  });

  test('of days → since then, at a step of five minutes; `all` → any status', () => {
    expect(read({ days: 1, status: 'all' })).toEqual({ since: new Date('2026-06-14T12:00:00Z') });
  });

  test.each([
    [{ statsu: 'sent' }, 'statsu'],
    [{ status: 'lost' }, 'status'],
    [{ days: -1 }, 'days'],
    [{ days: 1, from: '2026-01-01' }, 'days'],
    [{ from: '2026-02-30' }, 'from'],
    [{ to: 'tomorrow' }, 'to'],
    [{ from: '2026-06-02', to: '2026-06-01' }, 'to'],
    [{ companyId: '' }, 'companyId'],
    [{ companyId: 7 }, 'companyId'],
    [{ type: 'a\0b' }, 'type'],
    [{ recipient: 'nobody' }, 'recipient'],
  ])('%j → refused, naming %s', (input, field) => {
    expect(() => read(input)).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/^INVALID_/), field }),
    );
  });

  test('to cancel by that names a user, or nothing at all → refused', () => {
    const cancel = (input: object) => readEmailFilter(CANCEL_FILTER, input, NOW);
    expect(() => cancel({ userId: 'u' })).toThrow(expect.objectContaining({ field: 'userId' }));
    expect(() => cancel({})).toThrow(expect.objectContaining({ field: 'status' }));
    expect(cancel({ status: 'all' })).toEqual({});
  });

  test('cursors and limits of nobody → refused', () => {
    expect(() => readCursor("'; drop table")).toThrow(expect.objectContaining({ field: 'cursor' }));
    for (const limit of [0, 201, 1.5, Number.NaN, '10'])
      expect(() => readLimit(limit)).toThrow(expect.objectContaining({ field: 'limit' }));
    expect(readLimit(undefined)).toBe(50);
  });
});
