import { expect, test } from 'vitest';
import type { BusDeadLetters } from '../../../events/index.js';
import type { Operations } from '../../../operations.js';
import { cliForTest } from '../cli.fixture.js';

const letter = {
  ...{ id: 'e1', type: 'user.registered', source: 'wms-a', occurredAt: '2026-01-01T00:00:00.000Z' },
  ...{ originalQueue: 'q', finalStatusCode: 422, finalError: 'no\u001b[31m data.email', finalRetryCount: 10 },
};

function withBus(found = [letter]) {
  const asked: unknown[] = [];
  const desk: BusDeadLetters = {
    list: async (options) => {
      asked.push(options);
      return found;
    },
    retry: async (which) => {
      asked.push(which);
      return { retried: which?.ids ? 1 : 3, left: 0, notFound: [] };
    },
  };
  const operations = { waitingForBus: async () => 7, leaveBus: async () => 7 } as unknown as Operations;
  return {
    ...cliForTest({ application: { busDeadLetters: () => desk, operations: async () => operations } }),
    asked,
  };
}

test('bus dlq list → a line each, nothing in it speaks to the terminal', async () => {
  const { run, out, asked } = withBus();
  expect(await run('bus', 'dlq', 'list', '--limit', '5')).toBe(0);
  expect(out).toHaveLength(1);
  expect(out[0]).toMatch(/^e1 +user\.registered +2026-01-01T00:00:00\.000Z +10 +422 +no.*data\.email$/);
  expect(out[0]).not.toContain('\u001b');
  expect(asked).toEqual([{ limit: 5 }]);
});

test('bus dlq list of nothing → says so; a limit that is none → refused', async () => {
  const { run, out, notes } = withBus([]);
  expect(await run('bus', 'dlq', 'list')).toBe(0);
  expect(out).toEqual(['No dead letters.']);
  expect(await run('bus', 'dlq', 'list', '--limit', '0')).toBe(2);
  expect(notes.join()).toContain('limit must be');
});

test('bus dlq retry → of these, or of all, and never of all by mistake', async () => {
  const { run, out, asked } = withBus();
  expect(await run('bus', 'dlq', 'retry')).not.toBe(0);
  expect(await run('bus', 'dlq', 'retry', 'e1', '--all')).not.toBe(0);
  expect(asked).toEqual([]);
  expect(await run('bus', 'dlq', 'retry', 'e1')).toBe(0);
  expect(await run('bus', 'dlq', 'retry', '--all')).toBe(0);
  expect(await run('bus', 'dlq', 'retry', 'e1', 'e2')).toBe(1);
  expect(asked).toEqual([{ ids: ['e1'] }, {}, { ids: ['e1', 'e2'] }]);
  expect(out[0]).toBe('Put back: 1. Left: 0.');
});

test('bus status and off → how many wait, and that they are forgotten', async () => {
  const { run, out } = withBus();
  expect(await run('bus', 'status')).toBe(0);
  expect(await run('bus', 'off')).toBe(0);
  expect(out).toEqual([
    'Waiting for the bus: 7.',
    'Events are noted no longer; 7 that waited are forgotten.',
  ]);
});
