import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { ServerSilence } from './server-silence.js';

describe('the silence of a server', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  const never = new Promise<string>(() => undefined);

  function watch(work: Promise<string>, silence: ServerSilence): () => unknown {
    let seen: unknown = 'waiting';
    silence.bound(work, 800).then(
      (value) => {
        seen = value;
      },
      (error: { code: string }) => {
        seen = error;
      },
    );
    return () => seen;
  }

  test('nothing heard for the limit → STORE_UNAVAILABLE that says the outcome is unknown', async () => {
    const seen = watch(never, new ServerSilence());
    await vi.advanceTimersByTimeAsync(790);
    expect(seen()).toBe('waiting');
    await vi.advanceTimersByTimeAsync(110);
    expect(seen()).toMatchObject({
      code: 'STORE_UNAVAILABLE',
      retryAfterSeconds: 1,
      message: expect.stringMatching(/unknown.*idempotency key/),
    });
  });

  test('others are answered meanwhile → it goes on waiting; silent from then on → it gives up', async () => {
    const silence = new ServerSilence();
    const seen = watch(never, silence);
    for (let i = 0; i < 10; i += 1) {
      await vi.advanceTimersByTimeAsync(500);
      silence.heard();
    }
    expect(seen()).toBe('waiting');
    await vi.advanceTimersByTimeAsync(1000);
    expect(seen()).toMatchObject({ code: 'STORE_UNAVAILABLE' });
  });

  test('answered or failed in time → passed on, and no timer stays', async () => {
    expect(await new ServerSilence().bound(Promise.resolve('done'), 800)).toBe('done');
    const reason = new Error('no');
    await expect(new ServerSilence().bound(Promise.reject(reason), 800)).rejects.toBe(reason);
    expect(vi.getTimerCount()).toBe(0);
  });
});
