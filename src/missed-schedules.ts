import type { Clock } from './kernel/index.js';
import type { Schedules } from './schedules/index.js';

/**
 * Schedules whose time passed without a run. The time each is due next is remembered and looked for among its runs once
 * the schedule names a later one; a minute after that it counts as missed. All times are the database's: the clock of
 * this process may be set without consequence. The schedules are asked about once a minute.
 */
export function createMissedSchedules(
  schedules: Pick<Schedules, 'list'>,
  clock: Pick<Clock, 'monotonic'>,
): () => Promise<Array<{ name: string; dueAt: Date }>> {
  const due = new Map<string, { at: Date; passedAt: number | null }>();
  let askedAt = Number.NEGATIVE_INFINITY;
  let missed: Array<{ name: string; dueAt: Date }> = [];

  function look(name: string, next: Date, lastSlot: Date | null, now: number): void {
    const expected = due.get(name);
    if (!expected || (lastSlot !== null && lastSlot >= expected.at)) {
      due.set(name, { at: next, passedAt: null });
      return;
    }
    if (next <= expected.at) return;
    expected.passedAt ??= now;
    if (now - expected.passedAt >= GRACE_MS) missed.push({ name, dueAt: expected.at });
  }

  return async () => {
    const now = clock.monotonic();
    if (now - askedAt < ASK_MS) return missed;
    const listed = await schedules.list();
    askedAt = now;
    missed = [];
    for (const { name, next, last } of listed)
      if (next === null) due.delete(name);
      else look(name, next, last === null ? null : new Date(last.slot), now);
    return missed;
  };
}

const ASK_MS = 55_000;
const GRACE_MS = 60_000;
