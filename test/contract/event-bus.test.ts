import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { createTestVhost, describeWith, type TestVhost, waitFor } from '../services/index.js';
import { type BusGround, openBus, RETRY_MS } from './ground/open-bus.js';

/** The event bus against a real broker: topology, statuses, delays, waits and dead letters. */
let vhost: TestVhost;
let ground: BusGround;
let prefixes = 0;
let prefix: string;

beforeAll(async () => {
  vhost = await createTestVhost();
});
afterAll(() => vhost?.drop());
beforeEach(() => {
  ground = openBus(vhost.url);
  prefix = `p${++prefixes}`;
});
afterEach(() => ground.close());

const until = <T>(what: string, condition: () => T | Promise<T>, timeoutMs = 20_000) =>
  waitFor(condition, { what, timeoutMs });

describeWith('rabbitmq')('the event bus', () => {
  test('a service with the defaults → exchanges, queues and bindings with the arguments of the source', async () => {
    await ground.service(`${prefix}-cincout`, { x: () => 200 }, { retryDelayMs: 5000 });
    const rows = async (...what: string[]) =>
      (await vhost.control('-q', ...what.slice(0, 1), '-p', vhost.name, ...what.slice(1)))
        .split('\n')
        .filter((line) => line.includes(prefix));
    const queues = await rows('list_queues', 'name', 'durable', 'type', 'arguments');
    expect(queues.map((line) => line.split('\t').slice(0, 3)).sort()).toEqual([
      [`${prefix}.delay-queue.${prefix}-cincout`, 'true', 'classic'],
      [`${prefix}.dlq.${prefix}-cincout`, 'true', 'classic'],
      [`${prefix}.queue.${prefix}-cincout`, 'true', 'classic'],
      [`${prefix}.retry-queue.${prefix}-cincout`, 'true', 'classic'],
    ]);
    const args = (name: string) => queues.find((line) => line.startsWith(`${name}\t`))!.split('\t')[3]!;
    const main = args(`${prefix}.queue.${prefix}-cincout`);
    expect(main).toContain(`{"x-dead-letter-exchange","${prefix}.retry-exchange.${prefix}-cincout"}`);
    expect(main).toContain('{"x-dead-letter-routing-key","retry"}');
    expect(main).not.toContain('x-message-ttl');
    const waiting = args(`${prefix}.retry-queue.${prefix}-cincout`);
    expect(waiting).toContain('{"x-message-ttl",5000}');
    expect(waiting).toContain('{"x-dead-letter-exchange",[]}');
    expect(waiting).toContain(`{"x-dead-letter-routing-key","${prefix}.queue.${prefix}-cincout"}`);
    // One wait for all of them, whatever the service's retries wait.
    expect(args(`${prefix}.delay-queue.${prefix}-cincout`)).toBe(waiting);
    expect(args(`${prefix}.dlq.${prefix}-cincout`)).not.toContain('x-dead-letter');
    expect((await rows('list_exchanges', 'name', 'type', 'durable')).sort()).toEqual([
      `${prefix}.main-exchange\tfanout\ttrue`,
      `${prefix}.retry-exchange.${prefix}-cincout\tdirect\ttrue`,
    ]);
    const bindings = await rows('list_bindings', 'source_name', 'routing_key', 'destination_name');
    expect(bindings).toContain(
      `${prefix}.retry-exchange.${prefix}-cincout\tretry\t${prefix}.retry-queue.${prefix}-cincout`,
    );
  });

  test('a queue that exists with another wait → refused with its name, nothing touched', async () => {
    const first = await ground.service(`${prefix}-a`, { x: () => 200 });
    await first.stop();
    const starting = ground.service(`${prefix}-a`, { x: () => 200 }, { retryDelayMs: 5000 });
    await expect(starting).rejects.toMatchObject({
      code: 'BUS_TOPOLOGY_DIFFERS',
      message: expect.stringContaining(`${prefix}.retry-queue.${prefix}-a`),
    });
  });

  test('one publishes → every service of the prefix handles it once, others and those without handlers nothing', async () => {
    const heard: string[] = [];
    const hear = (name: string) => ({ 'user.registered': () => void heard.push(name) });
    const publisher = await ground.service(`${prefix}-publisher`);
    await ground.service(`${prefix}-a`, hear('a'));
    await ground.service(`${prefix}-b`, hear('b'));
    await ground.service(`other${prefix}-c`, hear('c'));
    await publisher.publish({ type: 'user.registered', data: { n: 1 } });
    await publisher.publish({ type: 'nobody.cares' });
    await until('both to hear', () => heard.length >= 2);
    for (const name of ['a', 'b'])
      await until('empty', async () => (await ground.depth(`${prefix}.queue.${prefix}-${name}`)) === 0);
    expect(heard.sort()).toEqual(['a', 'b']);
    await expect(ground.depth(`${prefix}.queue.${prefix}-publisher`)).rejects.toThrow(/NOT_FOUND/i);
  });

  test.each([
    [200, 1],
    [204, 1],
    [429, 2],
    [409, 2],
    [503, 2],
    [500, 2],
    [404, 2],
    [422, 2],
    ['exception', 2],
  ] as const)('status %s → tried %s times, the second after the wait', async (status, times) => {
    const at: number[] = [];
    const bus = await ground.service(`${prefix}-a`, {
      x: () => {
        at.push(performance.now());
        if (at.length > 1) return 200;
        if (status === 'exception') throw new Error('broken');
        return status;
      },
    });
    await bus.publish({ type: 'x' });
    await until('the tries', () => at.length === times);
    await until(
      'nothing left',
      async () =>
        (await ground.depth(bus.names.queue)) === 0 && (await ground.depth(bus.names.retryQueue)) === 0,
    );
    expect(at).toHaveLength(times);
    if (times === 2) expect(at[1]! - at[0]!).toBeGreaterThanOrEqual(RETRY_MS - 10);
  });

  test('one service fails → it comes back to that service alone', async () => {
    const tries = { a: 0, b: 0 };
    const bus = await ground.service(`${prefix}-a`, { x: () => (++tries.a < 4 ? 503 : 200) });
    await ground.service(`${prefix}-b`, {
      x: () => {
        tries.b += 1;
      },
    });
    await bus.publish({ type: 'x' });
    await until('a to succeed', () => tries.a === 4);
    expect(tries).toEqual({ a: 4, b: 1 });
  });

  test('425 → back in the queue after a local wait, not by the retry queue and uncounted', async () => {
    const seen: Array<{ retries: number; redelivered: boolean; headers: object }> = [];
    const bus = await ground.service(`${prefix}-a`, {
      x: (_, context) => {
        seen.push(context);
        return seen.length < 3 ? 425 : 200;
      },
    });
    await bus.publish({ type: 'x' });
    await until('the third try', () => seen.length === 3);
    expect(seen.map(({ retries, redelivered }) => [retries, redelivered])).toEqual([
      [0, false],
      [0, true],
      [0, true],
    ]);
    expect(seen[2]!.headers).not.toHaveProperty('x-death');
  });

  test.each([
    ['by a local wait', 1500],
    ['by one round of the delay queue', 3000],
    ['by two rounds and a local wait', 11_000],
  ])(
    'processAfterDelayMs, %s → handled once, not before, uncounted, while others go ahead',
    async (_, delayMs) => {
      const handled: Array<{ id: string | null; at: number; retries: number }> = [];
      const bus = await ground.service(`${prefix}-a`, {
        x: ({ id }, { retries }) => void handled.push({ id, at: Date.now(), retries }),
      });
      const from = Date.now();
      await bus.publish({ type: 'x', id: 'late', processAfterDelayMs: delayMs });
      await bus.publish({ type: 'x', id: 'soon' });
      await until('both', () => handled.length === 2);
      expect(handled.map(({ id, retries }) => [id, retries])).toEqual([
        ['soon', 0],
        ['late', 0],
      ]);
      expect(handled[1]!.at - from).toBeGreaterThanOrEqual(delayMs);
      for (const queue of [bus.names.queue, bus.names.delayQueue]) expect(await ground.depth(queue)).toBe(0);
    },
    40_000,
  );

  test('more events of an hour from now than places → they wait in the delay queue, and a good one is handled at once', async () => {
    const handled: unknown[] = [];
    const bus = await ground.service(`${prefix}-a`, { x: ({ id }) => void handled.push(id) });
    for (let n = 0; n < 12; n++) await bus.publish({ type: 'x', processAfterDelayMs: 3_600_000 });
    const from = performance.now();
    await bus.publish({ type: 'x', id: 'good' });
    await until('the good one', () => handled.length === 1);
    expect(performance.now() - from).toBeLessThan(4000);
    await until('them to wait', async () => (await ground.depth(bus.names.delayQueue)) === 12);
    expect(handled).toEqual(['good']);
  });

  test('an event fails and comes back, then waits for its time → its retries are counted on', async () => {
    const retries: number[] = [];
    const clock = { now: () => Date.now() + aheadMs, monotonic: () => performance.now() };
    let aheadMs = 0;
    const bus = await ground.service(
      `${prefix}-a`,
      {
        x: (_, context) => {
          retries.push(context.retries);
          // Its clock is set back by a minute once it has failed.
          aheadMs = retries.length === 1 ? -60_000 : 0;
          return retries.length < 3 ? 503 : 200;
        },
      },
      { clock },
    );
    await bus.publish({ type: 'x', processAfterDelayMs: 0 });
    await until('it to wait', async () => (await ground.depth(bus.names.delayQueue)) === 1);
    aheadMs = 0;
    await until('its end', () => retries.length === 3);
    expect(retries).toEqual([0, 1, 2]);
  }, 40_000);

  test('the dead-letter queue takes no more → its events take no place, the state says so, and they are moved when it does', async () => {
    let good = 0;
    const tries = new Map<string | null, number>();
    const bad = ({ id }: { id: string | null }) => {
      tries.set(id, (tries.get(id) ?? 0) + 1);
      return 500;
    };
    const bus = await ground.service(
      `${prefix}-a`,
      { bad, good: () => void good++ },
      { maxRetries: 0, prefetch: 2 },
    );
    const full = ['set_policy', '-p', vhost.name, 'full', `^${bus.names.deadLetterQueue}$`];
    await vhost.control(...full, '{"max-length":0,"overflow":"reject-publish"}', '--apply-to', 'queues');
    for (let n = 0; n < 6; n++) await bus.publish({ type: 'bad', id: `bad-${n}` });
    await until(
      'all of them to have failed twice',
      () => [...tries.values()].filter((n) => n > 1).length === 6,
    );
    await bus.publish({ type: 'good' });
    await until('a good one beside them', () => good === 1);
    expect(bus.state()).toMatchObject({ up: false, message: expect.stringMatching(/cannot be moved/) });
    // Far fewer than they came back.
    const moves = ground.lines.filter(({ message }) => String(message).includes('could not be moved'));
    expect(moves.length).toBeLessThan([...tries.values()].reduce((sum, n) => sum + n, 0));
    await vhost.control('clear_policy', '-p', vhost.name, 'full');
    await until(
      'all dead letters',
      async () => (await ground.depth(bus.names.deadLetterQueue)) === 6,
      40_000,
    );
    const letter = await ground.take(bus.names.deadLetterQueue);
    expect(letter?.headers).toMatchObject({ 'x-final-retry-count': 0, 'x-final-status-code': 500 });
    expect(bus.state()).toEqual({ up: true, message: 'connected' });
  }, 60_000);

  test('started and stopped → the state says so', async () => {
    const bus = await ground.service(`${prefix}-a`, { x: () => 200 });
    await until('it to be up', () => bus.state().up);
    await bus.stop();
    expect(bus.state()).toMatchObject({ up: false, message: expect.stringMatching(/not connected/) });
  });

  test('whoever counts outcomes throws → the event is published and handled, once', async () => {
    const handled: unknown[] = [];
    const bus = await ground.service(
      `${prefix}-a`,
      { x: ({ id }) => void handled.push(id) },
      {
        onOutcome() {
          throw new Error('no figures');
        },
      },
    );
    const id = await bus.publish({ type: 'x' });
    await until('it', () => handled.length > 0);
    await bus.stop();
    expect(handled).toEqual([id]);
    expect(await ground.depth(bus.names.queue)).toBe(0);
    expect(ground.lines).toContainEqual(expect.objectContaining({ outcome: 'handled', err: 'no figures' }));
  });

  test('ten retries → eleven tries, then the dead-letter queue with its headers and a line with the code', async () => {
    let tries = 0;
    const bus = await ground.service(`${prefix}-a`, {
      x: () => {
        tries += 1;
        return { status: 422, error: 'name is missing' };
      },
    });
    const id = await bus.publish({ type: 'x', data: { a: 1 } });
    const letter = await until('the dead letter', () => ground.take(bus.names.deadLetterQueue));
    expect(tries).toBe(11);
    expect(letter).toMatchObject({
      messageId: id,
      type: 'x',
      durable: true,
      body: { id, type: 'x', data: { a: 1 } },
    });
    expect(letter.headers).toMatchObject({
      'x-original-queue': bus.names.queue,
      'x-final-status-code': 422,
      'x-final-error': 'name is missing',
      'x-final-retry-count': 10,
      'x-death': expect.arrayContaining([
        expect.objectContaining({ queue: bus.names.queue, reason: 'rejected', count: 10 }),
      ]),
    });
    const line = await until('the line', () =>
      ground.lines.find(({ code }) => code === 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED'),
    );
    expect(line).toMatchObject({ eventId: id, retries: 10, status: 422 });
    expect(await ground.depth(bus.names.queue)).toBe(0);
  });

  test('a message that is no event → the dead-letter queue with the reason, byte for byte', async () => {
    const bus = await ground.service(`${prefix}-a`, { x: () => 200 }, { maxRetries: 1 });
    const publisher = ground.broker.createPublisher({ confirm: true });
    await publisher.send(
      {
        exchange: bus.names.mainExchange,
        contentType: 'application/json',
        headers: { huge: 'h'.repeat(7000) },
      },
      Buffer.from('{"type":'),
    );
    await publisher.close();
    const letter = await until('the dead letter', () => ground.take(bus.names.deadLetterQueue));
    expect(letter.body.toString()).toBe('{"type":');
    expect(letter.headers).toMatchObject({
      'x-final-status-code': 400,
      'x-final-error': 'The event is not valid JSON.',
    });
  });

  test('the dead-letter queue is gone → the message stays in its queue until it is back', async () => {
    const bus = await ground.service(`${prefix}-a`, { x: () => 500 }, { maxRetries: 0 });
    await ground.broker.queueDelete({ queue: bus.names.deadLetterQueue });
    await bus.publish({ type: 'x', id: 'kept' });
    await until('the failure', () => ground.lines.find(({ err }) => String(err).includes('has no queue')));
    const queue = bus.names.deadLetterQueue;
    await ground.broker.queueDeclare({ queue, durable: true, arguments: { 'x-queue-type': 'classic' } });
    expect((await until('the dead letter', () => ground.take(queue))).messageId).toBe('kept');
  });

  test('wrong use → refused with the reason', async () => {
    const bus = await ground.service(`${prefix}-a`, { x: () => 200 });
    expect(() => bus.on('y', vi.fn())).toThrow(/before start/);
    await expect(bus.publish({ type: 'has space' })).rejects.toMatchObject({ field: 'type' });
    await bus.stop();
    await expect(bus.publish({ type: 'x' })).rejects.toMatchObject({ code: 'BUS_UNAVAILABLE' });
  });
});

describe('without a broker', () => {
  test('start → BUS_UNAVAILABLE with the cause and without the password', async () => {
    const starting = ground.service('p-a', {}, { url: 'amqp://u:secret@127.0.0.1:1', timeoutMs: 300 });
    const error = await starting.catch((cause: Error) => cause);
    expect(error).toMatchObject({ code: 'BUS_UNAVAILABLE' });
    expect(String(error)).not.toContain('secret');
  });
});
