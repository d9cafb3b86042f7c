import { describe, expect, test, vi } from 'vitest';
import type { BrokerDeadLetters } from '../../../broker-dead-letters.js';
import { cliForTest } from '../cli.fixture.js';

const LETTER = {
  ...{ messageId: 'order-1', emailId: null, type: 'USER_CERTIFICATION', correlationId: null, retryCount: 0 },
  ...{
    errorCode: 'INVALID_PAYLOAD',
    errorMessage: 'to: is missing\u001b[31m',
    failedAt: '2030-01-01T00:00:00.000Z',
  },
  ...{ failureType: 'UNKNOWN_ERROR', responseCode: null },
};

function withBroker() {
  const broker = {
    list: vi.fn(async () => ({ total: 3, messages: [LETTER] })),
    requeue: vi.fn(async () => ({
      requeued: 1,
      refused: [{ messageId: 'b', reason: 'content-gone' }],
      notFound: ['c'],
    })),
    purge: vi.fn(async () => ({ purged: 0, notFound: ['c'] })),
  } satisfies BrokerDeadLetters;
  return { broker, ...cliForTest({ application: { brokerDeadLetters: () => broker } }) };
}

describe('postrider dlq broker', () => {
  test('list → a line each without control characters, and how many there are in all', async () => {
    const { run, out, notes, broker } = withBroker();
    expect(await run('dlq', 'broker', 'list', '--limit', '1')).toBe(0);
    expect(broker.list).toHaveBeenCalledWith({ limit: 1 });
    expect(out.join('\n')).toMatch(/order-1 .*message USER_CERTIFICATION .*INVALID_PAYLOAD/);
    expect(out.join('\n')).not.toContain('\u001b');
    expect(notes.join('\n')).toContain('3 in all');
  });

  test('requeue by id → says what was put back and what was not', async () => {
    const { run, out, broker } = withBroker();
    expect(await run('dlq', 'broker', 'requeue', 'a', 'b', 'c')).toBe(0);
    expect(broker.requeue).toHaveBeenCalledWith(
      { messageIds: ['a', 'b', 'c'] },
      { by: 'cli', acceptDuplicates: false },
    );
    expect(out).toEqual(['Put back: 1.', 'Not b: content-gone.', 'Not found: c.']);
  });

  test('purge of what is not there → fails', async () => {
    const { run, broker } = withBroker();
    expect(await run('dlq', 'broker', 'purge', 'c')).toBe(1);
    expect(broker.purge).toHaveBeenCalledWith({ messageIds: ['c'] });
  });

  test.each([
    ['requeue', []],
    ['purge', []],
    ['purge', ['a', '--all']],
  ])('%s with %j → wrong usage, nothing asked', async (act, args) => {
    const { run, broker } = withBroker();
    expect(await run('dlq', 'broker', act, ...args)).toBe(2);
    expect(broker.purge).not.toHaveBeenCalled();
    expect(broker.requeue).not.toHaveBeenCalled();
  });

  test('purge --all → all of them', async () => {
    const { run, broker } = withBroker();
    await run('dlq', 'broker', 'purge', '--all');
    expect(broker.purge).toHaveBeenCalledWith({ all: true });
  });
});
