import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { createEventBus, type EventBus } from '../../src/index.js';
import { silentLogger } from '../../src/kernel/index.js';
import {
  deepHeaders,
  deepJson,
  openRawRabbit,
  type RawRabbit,
  type RawSketch,
} from '../contract/ground/raw-rabbit.js';
import { type Door, openDoor } from '../journey/ground/open-door.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';

/**
 * Hostile events on the bus of a real broker: Postrider's part of it goes on, a good event is handled beside them, and
 * each of them ends among the dead letters byte for byte with its reason.
 */
const emails = {
  'user.registered': {
    ...{ type: 'USER_CERTIFICATION', to: '$data.email' },
    data: { code: '$data.code', expiresInMinutes: 10 },
  },
};

describeWith('postgres', 'rabbitmq')('hostile events on the bus', () => {
  let vhost: TestVhost;
  let door: Door;
  let raw: RawRabbit;
  let service: EventBus;
  let events = 0;
  const dlq = 'bad.dlq.bad-postrider';
  beforeAll(async () => {
    vhost = await createTestVhost();
    raw = await openRawRabbit(vhost.url);
    service = createEventBus({ url: vhost.url, service: 'bad-publisher', logger: silentLogger });
    await service.start();
    const bus = { url: vhost.url, service: 'bad-postrider', retryDelayMs: 50, maxRetries: 1, prefetch: 10 };
    door = await openDoor({ config: { bus: { ...bus, emails }, limits: { enabled: false } } });
    await door.postrider.start();
    await until(
      () =>
        raw.depth(dlq).then(
          () => true,
          () => false,
        ),
      'the queues',
    );
  });
  afterAll(async () => {
    await door?.close();
    await service?.stop();
    await raw?.close();
    await vhost?.drop();
  });
  beforeEach(() => raw.connection.queuePurge({ queue: dlq }));

  const until = <T>(condition: () => Promise<T> | T, what: string) =>
    waitFor(condition, { timeoutMs: 20_000, what });
  const publish = (message: RawSketch) => raw.publish('bad.main-exchange', '', message);
  const letter = () => until(() => raw.take(dlq), 'the dead letter');
  const registered = () => ({
    type: 'user.registered',
    id: `e${++events}`,
    data: { email: `event-${events}@example.net`, code: '123456' },
  });
  async function expectGoodOneHandled(): Promise<void> {
    const event = registered();
    await service.publish(event);
    await until(
      () => door.provider.calls.some(({ to }) => to === event.data.email),
      'the email of a good event',
    );
  }

  it('twelve events of deep JSON, more than are handled at once → all dead letters, and the bus goes on', async () => {
    const body = deepJson(20_000, registered());
    for (let n = 0; n < 12; n++)
      await publish({
        messageId: `deep-${n}`,
        type: 'user.registered',
        contentType: 'application/json',
        body,
      });
    await expectGoodOneHandled();
    await until(async () => (await raw.depth(dlq)) === 12, 'twelve dead letters');
    const { body: kept, properties } = await letter();
    expect(kept.equals(Buffer.from(body))).toBe(true);
    expect(properties.headers().text('x-final-error')).toMatch(/nested deeper than 64 levels/);
    const { checks } = (await door.call('GET', '/health/ready')).body;
    expect(checks.bus).toEqual({ ok: true, message: 'connected' });
    expect((await door.call('GET', '/metrics')).text).toMatch(/postrider_bus_up 1/);
  });

  it.each<[string, RawSketch, RegExp]>([
    [
      'a delay without a time',
      { body: { type: 'user.registered', processAfterDelayMs: 1000 } },
      /occurredAt/,
    ],
    [
      'a time in another century',
      { body: { type: 'user.registered', processAfterDelayMs: 1, occurredAt: '2190-01-01T00:00:00Z' } },
      /30 days/,
    ],
    ['Latin-1', { body: Buffer.from('{"type":"J\u00fcrgen"}', 'latin1') }, /not valid UTF-8/],
    ['a compressed event', { contentEncoding: 'gzip', body: gzipSync('{"type":"x"}') }, /compressed/],
    ['blanks and numbers', { body: ' { "n" : 1.0, "n": 1E2 } ' }, /no type/],
    ['more than an event may be', { body: `"${'x'.repeat(17 * 1024 ** 2)}"` }, /larger than 16777216 bytes/],
    ['headers nested 5,000 tables deep', { headers: deepHeaders(5000), body: '{' }, /not valid JSON/],
    ['a history that is none', { headers: { 'x-death': 'many', 'x-final-deaths': 7 }, body: '{' }, /JSON/],
    [
      'a history that never ends',
      {
        headers: {
          'x-death': [{ queue: 'bad.queue.bad-postrider', reason: 'rejected', count: -1_000_000, time: 1 }],
        },
        body: '{',
      },
      /JSON/,
    ],
    ['copies to the queue itself', { headers: { CC: ['bad.queue.bad-postrider'] }, body: '{' }, /JSON/],
    ['a source no index takes', { body: { ...registered(), source: 'x'.repeat(5000) } }, /source/],
  ])('%s → a dead letter, byte for byte, with the reason, and the bus goes on', async (_, sketch, reason) => {
    const contentType = 'application/json';
    await publish({ messageId: 'odd', contentType, ...sketch });
    await expectGoodOneHandled();
    const { body, properties } = await letter();
    const given =
      Buffer.isBuffer(sketch.body) || typeof sketch.body === 'string'
        ? sketch.body
        : JSON.stringify(sketch.body);
    expect(body.equals(Buffer.from(given))).toBe(true);
    expect(properties.headers().text('x-final-error')).toMatch(reason);
    const retries = properties.headers().number('x-final-retry-count');
    expect(retries).toBeLessThanOrEqual(1);
  });

  it('dead letters of hostile events over HTTP → listed and put back, and they fail again', async () => {
    await publish({ messageId: 'deep', body: deepJson(9000, registered()) });
    await publish({ messageId: 'ä', headers: deepHeaders(5000), body: Buffer.from([255]) });
    await until(async () => (await raw.depth(dlq)) === 2, 'the dead letters');
    const list = async () => (await door.call('GET', '/admin/bus/dead-letters')).body.messages;
    expect((await list()).map(({ id }: { id: string }) => id).sort()).toEqual(['deep', 'ä']);
    const answer = await door.call('POST', '/admin/bus/dead-letters/retry', { body: { all: true } });
    expect(answer).toMatchObject({ status: 200, body: { retried: 2 } });
    await until(async () => (await list()).length === 2, 'both again');
  });

  it('a field is wrong → the log line has the id of the event and the field', async () => {
    await service.publish({ type: 'user.registered', id: 'nobody-2', data: { email: 'nobody', code: '1' } });
    const line = await until(
      () => door.lines.map((text) => JSON.parse(text)).find((one) => one.eventId === 'nobody-2'),
      'the line',
    );
    expect(line).toMatchObject({ status: 400, field: 'to' });
  });
});
