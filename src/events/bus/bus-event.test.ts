import { describe, expect, it, vi } from 'vitest';
import { MessageProperties, type PropertyValues } from '../../amqp/index.js';
import { type BusEvent, earlyByMs, type NewBusEvent, readEvent, writeEvent } from './bus-event.js';

const NOW = Date.UTC(2026, 0, 1);

const read = (body: unknown, properties: PropertyValues = {}) =>
  readEvent({
    ...{ deliveryTag: 1, redelivered: false, properties: MessageProperties.of(properties) },
    body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
  });

describe('an event in a message', () => {
  it('written and read → the same', async () => {
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
    expect(await read(body)).toEqual({
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
    ['a delay of no known beginning', { type: 'x', processAfterDelayMs: 9000 }],
    ['a delay from a time that is none', { type: 'x', processAfterDelayMs: 9000, occurredAt: 'noon' }],
    ['JSON of 20,000 levels', Buffer.from('['.repeat(20_000) + ']'.repeat(20_000))],
    ['Latin-1', Buffer.from('{"type":"x","data":"J\u00fcrgen"}', 'latin1')],
    ['a source of 3000 characters', { type: 'x', source: 'x'.repeat(3000) }],
    ['a source with NUL', { type: 'x', source: 'a\u0000' }],
  ])('a body of %s → a problem, not an event', async (_, body) => {
    expect(await read(body)).toHaveProperty('problem');
  });

  it('a compressed body → a problem that says so; an encoding of characters → read', async () => {
    expect(await read({ type: 'x' }, { contentEncoding: 'gzip' })).toMatchObject({
      field: 'contentEncoding',
    });
    expect(await read({ type: 'x' }, { contentEncoding: 'UTF-8' })).toMatchObject({ type: 'x' });
  });

  it('an event of 1969 → published, though the property of its time has no sign', async () => {
    const { envelope, body } = writeEvent({ type: 'x', occurredAt: '1969-07-20T20:17:40Z' }, 's', NOW);
    expect(envelope.timestamp).toBe(0);
    expect(await read(body)).toMatchObject({ occurredAt: '1969-07-20T20:17:40.000Z' });
  });

  it.each([
    ['2026-01-01T09:00:00', '2026-01-01T09:00:00.000Z'],
    ['2026-01-01 09:00:00.123456', '2026-01-01T09:00:00.123Z'],
    ['2026-01-01', '2026-01-01T00:00:00.000Z'],
    ['2026-01-01T09:00Z', '2026-01-01T09:00:00.000Z'],
    ['2026-01-01T09:00:00+02:00', '2026-01-01T07:00:00.000Z'],
    ['2026-01-01T09:00:00-0530', '2026-01-01T14:30:00.000Z'],
    ['Thu, 01 Jan 2026 09:00:00', null],
    ['1 Jan 2026', null],
  ])('occurredAt %s in a process far from UTC → %s, published and read', async (occurredAt, instant) => {
    vi.stubEnv('TZ', 'America/New_York');
    try {
      expect(new Date('2026-01-01T09:00:00').getTimezoneOffset()).toBe(300);
      expect(await read({ type: 'x', occurredAt })).toMatchObject({ occurredAt: instant });
      const publish = () => writeEvent({ type: 'x', occurredAt }, 's', NOW);
      if (instant === null) expect(publish).toThrow(expect.objectContaining({ field: 'occurredAt' }));
      else expect(await read(publish().body)).toMatchObject({ occurredAt: instant });
    } finally {
      vi.unstubAllEnvs();
    }
  });

  it('timestamps no calendar has → no time, and no fault', async () => {
    for (const timestamp of [Number.MAX_SAFE_INTEGER, 1e18])
      expect(await read({ type: 'x' }, { timestamp })).toMatchObject({ occurredAt: null });
  });

  it('what the body lacks → from the properties', async () => {
    const properties = { messageId: 'm', type: 'x', appId: 'other', timestamp: NOW / 1000 };
    expect(await read({ data: 1 }, properties)).toMatchObject({
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
