import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger, systemClock, systemRandomness } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import type { DueDelivery } from './claim-deliveries.js';
import { createWebhookSender } from './webhook-sender.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function idleSender() {
  let claims = 0;
  const query = async () => {
    claims += 1;
    return { rows: [{ due: false }] };
  };
  const sender = createWebhookSender({
    isHeld: async () => false,
    database: async () => ({ query }) as unknown as Database,
    ...{ allowPrivate: false, timeoutMs: 1000, concurrency: 1, disableAfterMs: 1000 },
    onDisabled: async () => {},
    complete: (payload) => payload,
    secrets: {} as never,
    ...{ clock: systemClock, random: systemRandomness, logger: silentLogger },
  });
  return { sender, claims: () => claims };
}

const settled = () => vi.advanceTimersByTimeAsync(0);

test('rung → looks at once, and again a moment later for who committed beside it; else once a second', async () => {
  const { sender, claims } = idleSender();
  await sender.start();
  await settled();
  expect(claims()).toBe(1);
  sender.ring();
  sender.ring();
  await settled();
  expect(claims()).toBe(2);
  await vi.advanceTimersByTimeAsync(25);
  expect(claims()).toBe(3);
  await vi.advanceTimersByTimeAsync(999);
  expect(claims()).toBe(3);
  await vi.advanceTimersByTimeAsync(1);
  expect(claims()).toBe(4);
  await sender.stop();
});

test('another process was woken → looks once, five milliseconds later', async () => {
  const { sender, claims } = idleSender();
  await sender.start();
  await settled();
  sender.ringLater();
  sender.ringLater();
  await vi.advanceTimersByTimeAsync(4);
  expect(claims()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(claims()).toBe(2);
  await vi.advanceTimersByTimeAsync(900);
  expect(claims()).toBe(2);
  await sender.stop();
});

test('rung before it is started or after it is stopped → does nothing', async () => {
  const { sender, claims } = idleSender();
  sender.ring();
  await sender.start();
  await settled();
  await sender.stop();
  sender.ring();
  await vi.advanceTimersByTimeAsync(5000);
  expect(claims()).toBe(1);
});

test('a hundred requests under way at once → no warning of a leak of listeners, and all are cut when it stops', async () => {
  const due = Array.from(
    { length: 100 },
    (_, n): DueDelivery => ({
      ...{ id: `d${n}`, token: 1, attempt: 0, type: 'email.sent', payload: {} },
      ...{ endpointId: `e${n}`, tenant: `t${n}`, url: 'https://hangs.example.com/', twoSecrets: false },
    }),
  );
  const given: unknown[] = [];
  const query = async (_statement: unknown, values?: unknown[]) => {
    if (values) given.push(values[0]);
    return { rows: [{ due: true }] };
  };
  const batches = [due];
  const claim = async () => ({ rows: batches.shift() ?? [] });
  const transaction = (work: (tx: unknown) => unknown) => work({ query: claim });
  // The statement before the claim takes no rows.
  batches.unshift([]);
  const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {});
  const sender = createWebhookSender({
    isHeld: async () => false,
    database: async () => ({ query, transaction }) as unknown as Database,
    ...{ allowPrivate: false, timeoutMs: 1000, concurrency: 5, disableAfterMs: 1000 },
    onDisabled: async () => {},
    complete: (payload) => payload,
    secrets: { get: async () => 'whsec_c2VjcmV0' } as never,
    resolve: () => {},
    ...{ clock: systemClock, random: systemRandomness, logger: silentLogger },
  });
  await sender.start();
  await settled();
  const stopped = sender.stop({ deadlineMs: 0 });
  await settled();
  await stopped;
  expect(given).toEqual([due.map(({ id }) => id)]);
  expect(warn).not.toHaveBeenCalled();
  warn.mockRestore();
});
