import type { AudienceMoment, AudienceZone } from '../recipients/index.js';
import { startOfDay, wallTimeOf } from './slots/wall-time.js';

/**
 * What a slot means for the people of a run: its day, where they live. Days are counted by the calendar there, so that
 * one of 23 or 25 hours is a day like any other.
 */
export function momentOf(slot: Date, zone: string, people: AudienceZone): AudienceMoment {
  const at = slot.getTime();
  return {
    slot,
    weekday: new Date(wallTimeOf(at, zone)).getUTCDay() || 7,
    dayStart: new Date(startOfDay(at, zone)),
    dayBeforeStart: new Date(startOfDay(at, zone, -1)),
    weekStart: new Date(startOfDay(at, zone, -6)),
    zone: people,
  };
}

/** The day that many days before the slot, as YYYY-MM-DD. */
export function dayBefore(slot: Date, zone: string, days: number): string {
  return new Date(wallTimeOf(slot.getTime(), zone) - days * 86_400_000).toISOString().slice(0, 10);
}

/** Whoever was last written to for a slot from this instant on is not written to again yet. */
export function notAgainSince(slot: Date, zone: string, days: number): Date {
  return new Date(startOfDay(slot.getTime(), zone, 1 - days));
}
