import { setTimeout as pause } from 'node:timers/promises';

/**
 * The one sanctioned wait: polls until the condition gives something truthy and returns it.
 * A condition that throws counts as "not yet"; past the timeout it throws what was waited for and the last error.
 * A condition that hangs cannot hold it longer than the timeout. Seconds are taken as two minutes at least: a crowded
 * machine is slow, and what comes true costs no time. A shorter wait is one for something that must not happen.
 */
export async function waitFor<T>(
  condition: () => T | Promise<T>,
  options: WaitOptions,
): Promise<Exclude<T, Falsy>> {
  const { what, everyMs = 20 } = options;
  const timeoutMs = options.timeoutMs < 2000 ? options.timeoutMs : Math.max(options.timeoutMs, 120_000);
  const deadline = performance.now() + timeoutMs;
  const expiry = new AbortController();
  const expired = pause(timeoutMs, EXPIRED, { signal: expiry.signal });
  expired.catch(() => undefined); // aborted below once the condition holds
  let last: unknown;
  try {
    while (performance.now() < deadline) {
      const value = await Promise.race([attempt(condition), expired]);
      if (value === EXPIRED) break;
      if (value.ok && value.result) return value.result as Exclude<T, Falsy>;
      last = value.ok ? undefined : value.error;
      await pause(Math.min(everyMs, Math.max(0, deadline - performance.now())));
    }
  } finally {
    expiry.abort();
  }
  const detail = last === undefined ? '' : ` (last error: ${last instanceof Error ? last.message : last})`;
  throw new Error(`waited ${timeoutMs} ms for ${what}, in vain${detail}`, { cause: last });
}

export interface WaitOptions {
  timeoutMs: number;
  /** Completes the sentence "waited for …". */
  what: string;
  /** Pause between two looks. Defaults to 20 ms. */
  everyMs?: number;
}

type Falsy = false | 0 | 0n | '' | null | undefined;

const EXPIRED = Symbol('expired');

async function attempt<T>(condition: () => T | Promise<T>) {
  try {
    return { ok: true as const, result: await condition() };
  } catch (error) {
    return { ok: false as const, error };
  }
}
