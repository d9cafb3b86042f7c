import { describe, expect, it } from 'vitest';
import { type BusEvent, earlyByMs, type NewBusEvent, readEvent, writeEvent } from './bus-event.js';

const NOW = Date.UTC(2026, 0, 1);

describe('an event in a message', () => {
  it('written and read → the same', () => {
    const { envelope, body } = writeEvent(
      { id: 'e1', type: 'user.registered', data: { a: 1 }, companyId: 'acme', processAfterDelayMs: 500 },
      'wms-a',
      NOW,
    );
    expect(envelope).toMatchObject({
      messageId: 'e1',
      type: 'user.registered',
      appId: 'wms-a',
      durable: true,
    });
    expect(readEvent({ body })).toEqual({
      ...{ id: 'e1', type: 'user.registered', data: { a: 1 }, companyId: 'acme', source: 'wms-a' },
      ...{ occurredAt: '2026-01-01T00:00:00.000Z', processAfterDelayMs: 500 },
    });
  });

  it('without an id → gets one', () => {
    expect(writeEvent({ type: 'x' }, 's', NOW).envelope.messageId).toMatch(/^[0-9a-f-]{36}$/);
  });

  it.each<[string, object]>([
    ['type', { type: 'two words' }],
    ['type', { type: '' }],
    ['id', { type: 'x', id: 'ü' }],
    ['id', { type: 'x', id: 'x'.repeat(201) }],
    ['processAfterDelayMs', { type: 'x', processAfterDelayMs: -1 }],
    ['processAfterDelayMs', { type: 'x', processAfterDelayMs: 1.5 }],
    ['occurredAt', { type: 'x', occurredAt: 'yesterday' }],
    ['typo', { type: 'x', typo: 1 }],
  ])('a wrong %s → refused with its name', (field, event) => {
    expect(() => writeEvent(event as NewBusEvent, 's', NOW)).toThrow(expect.objectContaining({ field }));
  });

  it.each([
    ['no JSON', Buffer.from('{')],
    ['a list', [1]],
    ['nothing', null],
    ['no type', { data: {} }],
    ['a delay that is none', { type: 'x', processAfterDelayMs: 'soon' }],
  ])('a body of %s → a problem, not an event', (_, body) => {
    expect(readEvent({ body })).toHaveProperty('problem');
  });

  it('what the body lacks → from the properties', () => {
    const message = { body: { data: 1 }, messageId: 'm', type: 'x', appId: 'other', timestamp: NOW / 1000 };
    expect(readEvent(message)).toMatchObject({
      ...{ id: 'm', type: 'x', source: 'other', occurredAt: '2026-01-01T00:00:00.000Z' },
    });
  });

  it.each([
    [1000, 400, 600],
    [1000, 1000, 0],
    [null, 0, 0],
  ])('a delay of %s, %s ms later → %s ms early', (processAfterDelayMs, elapsed, early) => {
    const event = { processAfterDelayMs, occurredAt: new Date(NOW).toISOString() } as BusEvent;
    expect(earlyByMs(event, NOW + elapsed)).toBe(early);
  });
});
