import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Signal } from './signal.js';

describe('signal', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  const state = async (waiting: Promise<unknown>) => {
    let done = false;
    waiting.then(() => {
      done = true;
    });
    await vi.advanceTimersByTimeAsync(0);
    return done;
  };

  test('notified while waiting → wakes', async () => {
    const signal = new Signal();
    const waiting = signal.wait();
    expect(await state(waiting)).toBe(false);
    signal.notify();
    expect(await state(waiting)).toBe(true);
  });

  test('notified before the wait → does not wait, once', async () => {
    const signal = new Signal();
    signal.notify();
    signal.notify();
    expect(await state(signal.wait())).toBe(true);
    expect(await state(signal.wait())).toBe(false);
  });

  test('notified again while it wakes → the next wait does not wait', async () => {
    const signal = new Signal();
    const waiting = signal.wait();
    signal.notify();
    await waiting;
    signal.notify();
    expect(await state(signal.wait())).toBe(true);
  });

  test('nobody notifies → the timeout ends the wait, and no timer stays behind', async () => {
    const signal = new Signal();
    const waiting = signal.wait(100);
    await vi.advanceTimersByTimeAsync(99);
    expect(await state(waiting)).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await state(waiting)).toBe(true);
    signal.notify();
    await signal.wait(100);
    expect(vi.getTimerCount()).toBe(0);
  });
});
