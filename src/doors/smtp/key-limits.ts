import type { Clock } from '../../kernel/index.js';

/**
 * What one key may use of this process: so many connections at once, so many messages a minute. A minute's messages
 * may come at once and then trickle in again, so that a burst is not punished twice.
 */
export function createKeyLimits({ clock, maxConnections, messagesPerMinute }: KeyLimitOptions): KeyLimits {
  const connections = new Map<string, number>();
  const buckets = new Map<string, { left: number; at: number }>();
  const perMs = messagesPerMinute / 60_000;

  /** Full ones say nothing that a missing one does not. */
  function forgetFull(now: number): void {
    for (const [key, { left, at }] of buckets)
      if (left + (now - at) * perMs >= messagesPerMinute) buckets.delete(key);
  }

  return {
    enter(key) {
      const open = connections.get(key) ?? 0;
      if (open >= maxConnections) return false;
      connections.set(key, open + 1);
      return true;
    },
    leave(key) {
      const open = (connections.get(key) ?? 1) - 1;
      if (open <= 0) connections.delete(key);
      else connections.set(key, open);
    },
    waitBeforeMessage(key) {
      const now = clock.monotonic();
      if (buckets.size >= MANY) forgetFull(now);
      const { left, at } = buckets.get(key) ?? { left: messagesPerMinute, at: now };
      const filled = Math.min(messagesPerMinute, left + (now - at) * perMs);
      const may = filled >= 1;
      buckets.set(key, { left: may ? filled - 1 : filled, at: now });
      return may ? 0 : Math.ceil((1 - filled) / perMs / 1000);
    },
  };
}

export interface KeyLimitOptions {
  clock: Clock;
  maxConnections: number;
  messagesPerMinute: number;
}

export interface KeyLimits {
  /** False where the key has all its connections; `leave` is for those that entered. */
  enter(key: string): boolean;
  leave(key: string): void;
  /** Seconds until the key may submit again; 0 counts a message. */
  waitBeforeMessage(key: string): number;
}

const MANY = 10_000;
