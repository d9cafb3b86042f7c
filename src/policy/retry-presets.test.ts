import { describe, expect, it } from 'vitest';
import { decideRetry, findRetryPreset, RETRY_PRESETS, type RetryPresetName } from './retry-presets.js';

const waits = (name: RetryPresetName, maxAttempts: number, random = 0.5) =>
  Array.from({ length: maxAttempts }, (_, i) =>
    decideRetry({
      preset: RETRY_PRESETS[name],
      attempt: i + 1,
      maxAttempts,
      unclassified: false,
      askedMs: 0,
      random: () => random,
    }),
  );

describe('retry presets', () => {
  it('gateway, five attempts → waits 1s 5s 30s 2m, then gives up', () => {
    expect(waits('gateway', 5)).toEqual([1000, 5000, 30_000, 120_000, null]);
  });
  it('gateway with a sixth allowed → the fifth wait is ten minutes', () => {
    expect(waits('gateway', 6)[4]).toBe(600_000);
  });
  it('outbox → 1m 5m 30m 2h', () => {
    expect(waits('outbox', 5)).toEqual([60_000, 300_000, 1_800_000, 7_200_000, null]);
  });
  it('system → 5m 15m 1h 4h', () => {
    expect(waits('system', 5)).toEqual([300_000, 900_000, 3_600_000, 14_400_000, null]);
  });
  it('broker → three retries of 5s 10s 20s', () => {
    expect(waits('broker', RETRY_PRESETS.broker.attempts)).toEqual([5000, 10_000, 20_000, null]);
  });
  it('bus → ten retries of 5s', () => {
    expect(waits('bus', RETRY_PRESETS.bus.attempts)).toEqual([...Array(10).fill(5000), null]);
  });
  it('jitter → stays within a quarter of the wait', () => {
    expect(waits('gateway', 5, 0)[0]).toBe(750);
    expect(waits('gateway', 5, 1)[0]).toBe(1250);
  });
  it('the server asks for a later time → its wish wins', () => {
    const preset = RETRY_PRESETS.gateway;
    const question = { preset, attempt: 1, maxAttempts: 5, unclassified: false, random: () => 0.5 };
    expect(decideRetry({ ...question, askedMs: 60_000 })).toBe(60_000);
    expect(decideRetry({ ...question, askedMs: 10 })).toBe(1000);
  });
  it('the server asks for ever, or for nothing that is a number → thirty days at most, or the preset', () => {
    const preset = RETRY_PRESETS.gateway;
    const question = { preset, attempt: 1, maxAttempts: 5, unclassified: false, random: () => 0.5 };
    expect(decideRetry({ ...question, askedMs: Number.POSITIVE_INFINITY })).toBe(30 * 86_400_000);
    expect(decideRetry({ ...question, askedMs: Number.NaN })).toBe(1000);
  });
  it('unclassified failure → broker gives up at once, the others retry', () => {
    const question = { attempt: 1, maxAttempts: 4, unclassified: true, askedMs: 0, random: () => 0.5 };
    expect(decideRetry({ ...question, preset: RETRY_PRESETS.broker })).toBeNull();
    expect(decideRetry({ ...question, preset: RETRY_PRESETS.gateway })).toBe(1000);
  });
  it('prototype names → no preset', () => {
    expect(findRetryPreset('constructor')).toBeNull();
  });
});
