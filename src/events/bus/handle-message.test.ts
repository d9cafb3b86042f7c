import { describe, expect, it, vi } from 'vitest';
import { ManualClock, silentLogger } from '../../kernel/index.js';
import { type EventHandler, type HandlingParts, handleMessage } from './handle-message.js';

const message = (body: unknown = { id: 'e', type: 'x' }, headers: Record<string, unknown> = {}) => ({
  body,
  headers,
});
const tried = (count: number) => ({ 'x-death': [{ count, queue: 'q', reason: 'rejected', time: 1 }] });

const throwing = async () => {
  throw new Error('broken');
};

function parts(handler?: EventHandler, more: Partial<HandlingParts> = {}): HandlingParts {
  const over = new AbortController();
  over.abort();
  return {
    ...{ queue: 'q', maxRetries: 10, handlerOf: (type) => (type === 'x' ? handler : undefined) },
    ...{
      moveToDeadLetters: vi.fn(),
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

  it.each<[string, EventHandler, Record<string, unknown>, string]>([
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
    expect(last.moveToDeadLetters).toHaveBeenCalledWith(
      expect.anything(),
      expect.objectContaining({
        'x-final-status-code': 400,
        'x-final-error': 'the body is not a JSON object',
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
    expect(all.moveToDeadLetters).toHaveBeenCalledWith(expect.anything(), {
      ...tried(10),
      ...{ kept: 1, 'x-original-queue': 'q', 'x-final-error': 'broken', 'x-final-retry-count': 10 },
      'x-final-deaths': { count: 10, since: 1 },
    });
    expect(error.mock.calls[0]![0]).toMatchObject({
      code: 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED',
      retries: 10,
    });
  });

  it('the dead-letter queue cannot be reached → the message stays', async () => {
    const moveToDeadLetters = () => Promise.reject(new Error('away'));
    expect(
      await handleMessage(
        message(undefined, tried(10)),
        parts(() => 500, { moveToDeadLetters }),
      ),
    ).toBe('REQUEUE');
  });

  it('an endless reason → cut, so that it fits into a header', async () => {
    const all = parts(() => ({ status: 500, error: 'x'.repeat(100_000) }));
    await handleMessage(message(undefined, tried(10)), all);
    const headers = vi.mocked(all.moveToDeadLetters).mock.calls[0]![1];
    expect(String(headers['x-final-error'])).toHaveLength(1000);
  });
});
