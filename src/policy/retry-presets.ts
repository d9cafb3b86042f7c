import type { Randomness } from '../kernel/index.js';

/**
 * When to try again, as named presets: how many attempts, the waits between them, the jitter, and what
 * to do with a failure no table classifies. An email names one; EMAIL_MAX_RETRIES caps them all.
 */
export interface RetryPreset {
  attempts: number;
  /** Wait before attempt 2, 3, …; the last one repeats. */
  waitsMs: readonly number[];
  /** Each wait varies by this part of itself, up or down. */
  jitter: number;
  unclassified: 'retry' | 'fail';
}

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

export const RETRY_PRESETS = {
  gateway: {
    attempts: 5,
    waitsMs: [SECOND, 5 * SECOND, 30 * SECOND, 2 * MINUTE, 10 * MINUTE],
    jitter: 0.25,
    unclassified: 'retry',
  },
  outbox: {
    attempts: 5,
    waitsMs: [MINUTE, 5 * MINUTE, 30 * MINUTE, 2 * HOUR],
    jitter: 0.25,
    unclassified: 'retry',
  },
  system: {
    attempts: 5,
    waitsMs: [5 * MINUTE, 15 * MINUTE, HOUR, 4 * HOUR],
    jitter: 0,
    unclassified: 'retry',
  },
  broker: { attempts: 4, waitsMs: [5 * SECOND, 10 * SECOND, 20 * SECOND], jitter: 0, unclassified: 'fail' },
  bus: { attempts: 11, waitsMs: [5 * SECOND], jitter: 0, unclassified: 'retry' },
} as const satisfies Record<string, RetryPreset>;

export type RetryPresetName = keyof typeof RETRY_PRESETS;

export function findRetryPreset(name: string): RetryPreset | null {
  return Object.hasOwn(RETRY_PRESETS, name) ? RETRY_PRESETS[name as RetryPresetName] : null;
}

export interface RetryQuestion {
  preset: RetryPreset;
  /** The attempt that has just failed, from 1. */
  attempt: number;
  maxAttempts: number;
  unclassified: boolean;
  /** How long the server itself asked us to wait, from now. */
  askedMs: number;
  random: Randomness;
}

const LONGEST_WAIT_MS = 30 * 24 * HOUR;

/** What a server may ask for: not for ever, and nothing that is no number. */
export function boundedWait(ms: number): number {
  return ms > 0 ? Math.min(ms, LONGEST_WAIT_MS) : 0;
}

/** The wait before the next attempt in milliseconds, or null: give up. A server's later wish wins. */
export function decideRetry(question: RetryQuestion): number | null {
  const { preset, attempt } = question;
  if (attempt >= question.maxAttempts) return null;
  if (question.unclassified && preset.unclassified === 'fail') return null;
  const base = preset.waitsMs[Math.min(attempt, preset.waitsMs.length) - 1] ?? 0;
  const wait = base * (1 + preset.jitter * (2 * question.random() - 1));
  return Math.max(wait, boundedWait(question.askedMs));
}
