import { describe, expect, it, vi } from 'vitest';
import { type HeaderValue, MessageProperties, type RawMessage } from '../../amqp/index.js';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import { type EventHandler, type HandlingParts, handleMessage } from './handle-message.js';
import { TooSoonError } from './move-message.js';

const message = (
  body: unknown = { id: 'e', type: 'x' },
  headers: Record<string, HeaderValue> = {},
): RawMessage => ({
  ...{ deliveryTag: 1, redelivered: false, properties: MessageProperties.of({ headers }) },
  body: Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body)),
});
const tried = (count: number) => ({ 'x-death': [{ count, queue: 'q', reason: 'rejected', time: 1 }] });

const throwing = async () => {
  throw new Error('broken');
};

function parts(handler?: EventHandler, more: Partial<HandlingParts> = {}): HandlingParts {
  const over = new AbortController();
  over.abort();
  return {
    names: { queue: 'q', delayQueue: 'later', deadLetterQueue: 'dead' },
    ...{ maxRetries: 10, handlerOf: (type) => (type === 'x' ? handler : undefined) },
    ...{
      mover: { move: vi.fn() },
      onOutcome: () => {},
      clock: new ManualClock(),
      random: () => 0,
      logger: silentLogger,
    },
    // Waits end at once.
    signal: over.signal,
    ...more,
  };
}

describe('handling a message', () => {
  it.each<[string, EventHandler, string]>([
    ['answers nothing', () => {}, 'ACK'],
    ['answers 201', () => 201, 'ACK'],
    ['answers 425', () => 425, 'REQUEUE'],
    ['answers { status: 422 }', () => ({ status: 422, error: 'no' }), 'DROP'],
    ['throws', throwing, 'DROP'],
    ['answers what is no status', () => 'yes' as never, 'DROP'],
    ['answers a number that is no status', () => 9, 'DROP'],
  ])('the handler %s → %s', async (_, handler, action) => {
    expect(await handleMessage(message(), parts(handler))).toBe(action);
  });

  it.each<[string, EventHandler, Record<string, HeaderValue>, string]>([
    ['handled', () => 200, {}, 'handled'],
    ['failed', () => 503, {}, 'retried'],
    ['too early', () => 425, {}, 'requeued'],
    ['failed once too often', () => 503, tried(10), 'dead_lettered'],
  ])('%s → told as such, once', async (_, handler, headers, outcome) => {
    const onOutcome = vi.fn();
    await handleMessage(message(undefined, headers), parts(handler, { onOutcome }));
    expect(onOutcome.mock.calls).toEqual([[outcome]]);
  });

  it('a type without a handler → acknowledged, also when it is wrong in itself', async () => {
    expect(await handleMessage(message({ type: 'other', processAfterDelayMs: 9e6 }), parts())).toBe('ACK');
  });

  it('no event at all → retried like any failure, then the dead-letter queue with the reason', async () => {
    expect(await handleMessage(message(Buffer.from('{')), parts())).toBe('DROP');
    const last = parts();
    expect(await handleMessage(message(Buffer.from('{'), tried(10)), last)).toBe('ACK');
    expect(last.mover.move).toHaveBeenCalledWith(
      expect.anything(),
      'dead',
      expect.objectContaining({
        'x-final-status-code': 400,
        'x-final-error': 'The event is not valid JSON.',
      }),
    );
  });

  it('too early → requeued without asking the handler, however often it was retried', async () => {
    const handler = vi.fn();
    const clock = new ManualClock();
    const body = { type: 'x', occurredAt: new Date(clock.now()).toISOString(), processAfterDelayMs: 1000 };
    expect(await handleMessage(message(body, tried(10)), parts(handler, { clock }))).toBe('REQUEUE');
    expect(handler).not.toHaveBeenCalled();
    clock.advance(1000);
    expect(await handleMessage(message(body), parts(handler, { clock }))).toBe('ACK');
  });

  it('the eleventh failure → moved with its headers and logged by its code, then acknowledged', async () => {
    const error = vi.fn();
    const logger = { ...silentLogger, error };
    const stale = { 'x-final-status-code': 503, 'x-original-queue': 'elsewhere', kept: 1 };
    const all = parts(throwing, { logger });
    expect(await handleMessage(message(undefined, { ...tried(10), ...stale }), all)).toBe('ACK');
    expect(all.mover.move).toHaveBeenCalledWith(expect.anything(), 'dead', {
      ...{ 'x-original-queue': 'q', 'x-final-error': 'broken', 'x-final-retry-count': 10 },
      ...{ 'x-final-status-code': undefined, 'x-final-deaths': { count: 10, since: 1 } },
    });
    expect(error.mock.calls[0]![0]).toMatchObject({
      code: 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED',
      retries: 10,
    });
  });

  it.each([
    ['a dead letter', tried(10), 0],
    ['an event of tomorrow', {}, 86_400_000],
  ])(
    '%s cannot be moved → it comes back by the retry queue, and is told and logged as such',
    async (_, headers, ms) => {
      const [error, onOutcome, clock] = [vi.fn(), vi.fn(), new ManualClock()];
      const occurredAt = new Date(clock.now()).toISOString();
      const body = { type: 'x', occurredAt, processAfterDelayMs: ms };
      const refusals = [new Error('away'), new TooSoonError('away')];
      const move = () => Promise.reject(refusals.shift());
      const more = { mover: { move }, onOutcome, clock, logger: { ...silentLogger, error } };
      for (const logged of [1, 1]) {
        expect(
          await handleMessage(
            message(body, headers),
            parts(() => 500, more),
          ),
        ).toBe('DROP');
        expect(error).toHaveBeenCalledTimes(logged);
      }
      expect(onOutcome.mock.calls).toEqual([['move_failed'], ['move_failed']]);
    },
  );

  it('moves failed for a while → the count of retries stands where they ended', async () => {
    const all = parts(() => 500);
    await handleMessage(message(undefined, tried(25)), all);
    expect(vi.mocked(all.mover.move).mock.calls[0]![2]).toMatchObject({
      ...{ 'x-final-retry-count': 10, 'x-final-deaths': { count: 25, since: 1 } },
    });
  });

  const inSeconds = (seconds: number, clock: ManualClock) => ({
    ...{ type: 'x', occurredAt: new Date(clock.now()).toISOString() },
    processAfterDelayMs: seconds * 1000,
  });

  it.each([
    [2, 'REQUEUE', 'requeued'],
    [3, 'ACK', 'delayed'],
    [2_592_000, 'ACK', 'delayed'],
  ])('due in %i s → %s, as %s', async (seconds, action, outcome) => {
    const [clock, onOutcome, handler] = [new ManualClock(), vi.fn(), vi.fn()];
    const all = parts(handler, { clock, onOutcome });
    expect(await handleMessage(message(inSeconds(seconds, clock)), all)).toBe(action);
    expect(onOutcome.mock.calls).toEqual([[outcome]]);
    expect(handler).not.toHaveBeenCalled();
    const moves = vi.mocked(all.mover.move).mock.calls.map(([, queue]) => queue);
    expect(moves).toEqual(outcome === 'delayed' ? ['later'] : []);
  });

  it('due in another century → refused with a reason instead of waiting for ever', async () => {
    const warn = vi.fn();
    const body = { type: 'x', occurredAt: '2126-01-01T00:00:00Z', processAfterDelayMs: 0 };
    const all = parts(() => 200, { logger: { ...silentLogger, warn } });
    expect(await handleMessage(message(body), all)).toBe('DROP');
    expect(warn.mock.calls[0]![0]).toMatchObject({
      ...{ status: 400, field: 'occurredAt', err: expect.stringContaining('30 days') },
    });
  });

  it('an event fails → logged with its id and the field at fault', async () => {
    const warn = vi.fn();
    const logger = { ...silentLogger, warn };
    const handler = () => ({ status: 400, error: 'INVALID_EMAIL: to is missing', field: 'to' });
    await handleMessage(message(), parts(handler, { logger }));
    expect(warn.mock.calls[0]![0]).toMatchObject({ eventId: 'e', status: 400, field: 'to' });
  });

  it('an endless reason → cut, so that it fits into a header', async () => {
    const all = parts(() => ({ status: 500, error: 'x'.repeat(100_000) }));
    await handleMessage(message(undefined, tried(10)), all);
    const headers = vi.mocked(all.mover.move).mock.calls[0]![2];
    expect(String(headers['x-final-error'])).toHaveLength(1000);
  });
});
