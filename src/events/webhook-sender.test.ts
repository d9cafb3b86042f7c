import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { silentLogger, systemClock, systemRandomness } from '../kernel/index.js';
import type { Database } from '../store/index.js';
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
    return { rows: [] };
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
