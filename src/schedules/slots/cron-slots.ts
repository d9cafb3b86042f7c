import { Cron } from 'croner';
import { messageOf, PostriderError } from '../../kernel/index.js';
import { instantOf, isTimeZone, type WallTime, wallTimeOf } from './wall-time.js';

/**
 * The instants at which a cron pattern fires in a time zone. The pattern is read against the clock on the wall: a time
 * that the clocks skip fires once, right after the gap, together with whatever else falls there; an hour that the
 * clocks repeat fires once, in its first pass. Five fields: nothing fires more often than once a minute.
 */
export interface CronSlots {
  /** The first slot after this instant. */
  next(afterMs: number): number | null;
  /** The last slot that is not after this instant. */
  latest(upToMs: number): number | null;
  /** Slots after the one instant and not after the other, oldest first, at most `limit`. */
  between(afterMs: number, upToMs: number, limit: number): number[];
}

export function cronSlots(pattern: string, zone: string): CronSlots {
  if (!isTimeZone(zone)) throw invalid(`${zone} is not a time zone`);
  const cron = parse(pattern);
  const after = (wall: WallTime) => cron.nextRun(new Date(wall))?.getTime() ?? null;

  function next(afterMs: number): number | null {
    // In the second pass of a repeated hour the wall times ahead have fired in the first.
    for (let wall = after(wallTimeOf(afterMs, zone)); wall !== null; wall = after(wall)) {
      const instant = instantOf(wall, zone);
      if (instant > afterMs) return instant;
    }
    return null;
  }

  return {
    next,
    latest(upToMs) {
      const minute = Math.floor(wallTimeOf(upToMs, zone) / MINUTE_MS) * MINUTE_MS;
      const wall = cron.previousRuns(1, new Date(minute + MINUTE_MS))[0]?.getTime();
      if (wall === undefined) return null;
      let found = instantOf(wall, zone);
      for (let later = next(found); later !== null && later <= upToMs; later = next(found)) found = later;
      return found;
    },
    between(afterMs, upToMs, limit) {
      const slots: number[] = [];
      for (let at = next(afterMs); at !== null && at <= upToMs && slots.length < limit; at = next(at))
        slots.push(at);
      return slots;
    },
  };
}

/** Throws INVALID_CONFIG for what is no pattern, or one that never comes true. */
export function checkCron(pattern: string): void {
  if (parse(pattern).nextRun(new Date(ANY_DAY)) === null) throw invalid(`${pattern} never comes true`);
}

function parse(pattern: string): Cron {
  try {
    // Wall times are given to it as if they were UTC, where no hour is skipped or repeated.
    return new Cron(pattern, { timezone: 'UTC', mode: '5-part', paused: true });
  } catch (error) {
    throw invalid(`"${pattern}" is not a cron pattern of five fields: ${messageOf(error)}`);
  }
}

function invalid(message: string): PostriderError {
  return new PostriderError('INVALID_CONFIG', `${message}.`, { field: 'schedules' });
}

const MINUTE_MS = 60_000;
const ANY_DAY = Date.UTC(2026, 0, 1);
