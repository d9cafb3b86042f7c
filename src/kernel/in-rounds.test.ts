import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { inRounds } from './in-rounds.js';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const settled = () => vi.advanceTimersByTimeAsync(0);

function counted(options: { restMs?: number; firstAfterMs?: number } = {}) {
  let rounds = 0;
  let failing: Error | null = null;
  const failures: unknown[] = [];
  const subject = inRounds({
    async round() {
      rounds += 1;
      if (failing) throw failing;
      return options.restMs ?? 100;
    },
    onFailure(error) {
      failures.push(error);
      return 1000;
    },
    ...(options.firstAfterMs !== undefined && { firstAfterMs: options.firstAfterMs }),
  });
  const fail = (error: Error | null) => {
    failing = error;
  };
  return { subject, rounds: () => rounds, failures, fail };
}

test('started → a round at once, then after each rest; rung → without waiting for it', async () => {
  const { subject, rounds } = counted();
  await subject.start();
  await subject.start();
  await settled();
  expect(rounds()).toBe(1);
  await vi.advanceTimersByTimeAsync(100);
  expect(rounds()).toBe(2);
  subject.ring();
  await settled();
  expect(rounds()).toBe(3);
  await subject.stop();
});

test('a first rest → is kept before the first round', async () => {
  const { subject, rounds } = counted({ firstAfterMs: 50 });
  await subject.start();
  await vi.advanceTimersByTimeAsync(49);
  expect(rounds()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(rounds()).toBe(1);
  await subject.stop();
});

test('a round that fails → told, and rung or not it rests as long as it was said to', async () => {
  const { subject, rounds, failures, fail } = counted();
  const away = new Error('away');
  fail(away);
  await subject.start();
  await settled();
  subject.ring();
  await vi.advanceTimersByTimeAsync(999);
  expect([rounds(), failures]).toEqual([1, [away]]);
  fail(null);
  await vi.advanceTimersByTimeAsync(1);
  // And once more for the ring, which was kept.
  expect(rounds()).toBe(3);
  await subject.stop();
});

test('stopped in a rest or during one after a failure → ends at once, and can be started again', async () => {
  const { subject, rounds, fail } = counted();
  for (const error of [null, new Error('away')]) {
    fail(error);
    await subject.start();
    await settled();
    await subject.stop();
    await subject.stop();
  }
  const before = rounds();
  await vi.advanceTimersByTimeAsync(5000);
  expect(rounds()).toBe(before);
});
