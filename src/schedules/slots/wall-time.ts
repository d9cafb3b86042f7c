/**
 * Wall time of a zone and back. A wall time is kept as the milliseconds it would have in UTC, so that it sorts and adds
 * like one. Backwards there are two rules: a wall time that happens twice is the first of the two, and one that is
 * skipped is the instant right after the gap.
 */
export type WallTime = number;

export function isTimeZone(zone: string): boolean {
  try {
    formatOf(zone);
    return true;
  } catch {
    return false;
  }
}

export function wallTimeOf(instantMs: number, zone: string): WallTime {
  const part: Record<string, number> = {};
  for (const { type, value } of formatOf(zone).formatToParts(instantMs)) part[type] = Number(value);
  const seconds = Date.UTC(part.year!, part.month! - 1, part.day!, part.hour!, part.minute!, part.second!);
  // Zones differ from UTC by whole seconds, so the fraction is the same in both.
  return seconds + (((instantMs % 1000) + 1000) % 1000);
}

/** The first instant at which the clocks of the zone show this wall time, or a later one. */
export function instantOf(wall: WallTime, zone: string): number {
  // Not linear across a change, but monotonic outside a repeated hour, where the first pass is looked for anyway.
  const offsets = new Set(
    [-WIDEST_MS, 0, WIDEST_MS].map((shift) => wallTimeOf(wall + shift, zone) - (wall + shift)),
  );
  const exact = [...offsets].map((offset) => wall - offset).filter((at) => wallTimeOf(at, zone) === wall);
  return exact.length > 0 ? Math.min(...exact) : endOfGap(wall, zone);
}

/** The start of a day that many days after the day of this instant, in the zone. */
export function startOfDay(instantMs: number, zone: string, plusDays = 0): number {
  const wall = wallTimeOf(instantMs, zone);
  const midnight = wall - (((wall % DAY_MS) + DAY_MS) % DAY_MS);
  return instantOf(midnight + plusDays * DAY_MS, zone);
}

function endOfGap(wall: WallTime, zone: string): number {
  let before = wall - WIDEST_MS;
  let after = wall + WIDEST_MS;
  while (after - before > 1) {
    const middle = Math.floor((before + after) / 2);
    if (wallTimeOf(middle, zone) < wall) before = middle;
    else after = middle;
  }
  return after;
}

const DAY_MS = 86_400_000;
/** No zone is further from UTC, and no change of clocks is larger: Samoa once skipped a day. */
const WIDEST_MS = 26 * 3_600_000;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(zone: string): Intl.DateTimeFormat {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      calendar: 'iso8601',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
    // Names come from outside too; what is no zone has thrown above.
    if (formats.size >= MOST_ZONES) formats.clear();
    formats.set(zone, format);
  }
  return format;
}

const MOST_ZONES = 1000;
