import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import type { EventBusOptions } from '../../src/index.js';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import { type BusGround, openBus } from './ground/open-bus.js';

/** Dead letters of the bus: looking, putting back, and how often they are tried then, on both kinds of brokers. */
let vhost: TestVhost;
let ground: BusGround;
let services = 0;
let service: string;

beforeAll(async () => {
  vhost = await createTestVhost();
});
afterAll(() => vhost?.drop());
beforeEach(() => {
  ground = openBus(vhost.url);
  service = `wms-s${++services}`;
});
afterEach(() => ground.close());

const until = <T>(what: string, condition: () => T | Promise<T>) =>
  waitFor(condition, { what, timeoutMs: 20_000 });

/** A service that fails on everything until it holds that many dead letters. */
async function withDeadLetters(ids: readonly string[], options: Partial<EventBusOptions> = {}) {
  const bus = await ground.service(service, { x: () => 503 }, { maxRetries: 3, ...options });
  for (const id of ids) await bus.publish({ type: 'x', id, data: { id } });
  await until('the dead letters', async () => (await ground.depth(bus.names.deadLetterQueue)) === ids.length);
  await bus.stop();
  return bus;
}

describeWith('rabbitmq')('dead letters of the bus', () => {
  test('list → what failed and why, and everything is still there', async () => {
    const bus = await withDeadLetters(['a', 'b']);
    const seen = await bus.deadLetters.list();
    expect(seen.map(({ id }) => id).sort()).toEqual(['a', 'b']);
    expect(seen[0]).toMatchObject({
      ...{ type: 'x', source: service, originalQueue: bus.names.queue },
      ...{ finalStatusCode: 503, finalError: null, finalRetryCount: 3 },
    });
    expect(await bus.deadLetters.list({ limit: 1 })).toHaveLength(1);
    await until('all of them', async () => (await ground.depth(bus.names.deadLetterQueue)) === 2);
  });

  test('no such queue → BUS_QUEUE_NOT_FOUND', async () => {
    const bus = await ground.service(service);
    await expect(bus.deadLetters.list()).rejects.toMatchObject({ code: 'BUS_QUEUE_NOT_FOUND' });
  });

  test('retry by id → that one goes back, the others stay', async () => {
    const bus = await withDeadLetters(['a', 'b', 'c']);
    expect(await bus.deadLetters.retry({ ids: ['b', 'unknown'] })).toEqual({
      retried: 1,
      left: 2,
      notFound: ['unknown'],
    });
    const handled: unknown[] = [];
    await ground.service(service, { x: ({ data }) => void handled.push(data) });
    await until('b', () => handled.length === 1);
    expect(handled).toEqual([{ id: 'b' }]);
  });

  test('the service is mended, retry of all → each handled once and nothing left', async () => {
    const bus = await withDeadLetters(['a', 'b', 'c']);
    const handled: unknown[] = [];
    const mended = await ground.service(service, { x: ({ id }) => void handled.push(id) });
    expect(await mended.deadLetters.retry()).toEqual({ retried: 3, left: 0, notFound: [] });
    await until('all', () => handled.length === 3);
    expect(handled.sort()).toEqual(['a', 'b', 'c']);
    expect(await ground.depth(bus.names.queue)).toBe(0);
  });

  test('still broken → one more try, and the count stands where it was', async () => {
    await withDeadLetters(['a']);
    let tries = 0;
    const broken = () => {
      tries += 1;
      return 503;
    };
    const bus = await ground.service(service, { x: broken }, { maxRetries: 3 });
    await bus.deadLetters.retry();
    const letter = await until('it back', () => ground.take(bus.names.deadLetterQueue));
    expect(tries).toBe(1);
    expect(letter.headers).toMatchObject({ 'x-final-retry-count': 3 });
  });

  const strip = (headers: Record<string, unknown>) => {
    const { 'x-death': _, ...rest } = headers;
    return rest;
  };
  test.each([
    ['takes up a republished x-death', (headers: Record<string, unknown>) => headers],
    ['ignores a republished x-death', strip],
  ])(
    'a broker that %s → retries go on from the final count, two rounds long, none twice',
    async (_, arrive) => {
      // The broker says when it began to count in whole seconds.
      const retryDelayMs = 1000;
      await withDeadLetters(['a'], { retryDelayMs });
      const counts: number[] = [];
      for (const maxRetries of [5, 8]) {
        const handlers = {
          x: (_event: unknown, { retries }: { retries: number }) => {
            counts.push(retries);
            return 503;
          },
        };
        const bus = await ground.service(service, handlers, { maxRetries, retryDelayMs });
        // What such a broker makes of the message that `retry` publishes.
        const letter = await until('the dead letter', () => ground.take(bus.names.deadLetterQueue));
        const { body, headers = {}, messageId, contentType } = letter;
        const mover = ground.broker.createPublisher({ confirm: true });
        if (arrive === strip)
          await mover.send(
            { routingKey: bus.names.queue, headers: strip(headers), messageId, contentType, durable: true },
            body,
          );
        else {
          await mover.send(
            {
              routingKey: bus.names.deadLetterQueue,
              headers: withLongCounts(headers),
              messageId,
              contentType,
              durable: true,
            },
            body,
          );
          await bus.deadLetters.retry();
        }
        await mover.close();
        await until('its end', async () => (await ground.depth(bus.names.deadLetterQueue)) === 1);
        await bus.stop();
      }
      expect(counts).toEqual([3, 4, 5, 5, 6, 7, 8]);
    },
  );
});

function withLongCounts(headers: Record<string, unknown>): Record<string, unknown> {
  const deaths = headers['x-death'] as Array<Record<string, unknown>>;
  return {
    ...headers,
    'x-death': deaths.map((death) => ({
      ...death,
      count: BigInt(death.count as number),
      time: BigInt(death.time as number),
    })),
  };
}
