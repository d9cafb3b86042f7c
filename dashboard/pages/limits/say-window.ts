/** Windows of time as people say them: `per 5 minutes`, `per hour`, `ever`. */
export const UNITS = [
  { name: 'seconds', one: 'second', seconds: 1 },
  { name: 'minutes', one: 'minute', seconds: 60 },
  { name: 'hours', one: 'hour', seconds: 3_600 },
  { name: 'days', one: 'day', seconds: 86_400 },
] as const;

export function sayWindow(seconds: number | null): string {
  if (seconds === null) return 'ever';
  const unit = unitOf(seconds);
  const count = seconds / unit.seconds;
  return count === 1 ? `per ${unit.one}` : `per ${count} ${unit.name}`;
}

/** The largest that divides it. */
export function unitOf(seconds: number): (typeof UNITS)[number] {
  return UNITS.findLast((unit) => seconds % unit.seconds === 0) ?? UNITS[0];
}

/** What is no number stays as it was typed, so that the API names it. */
export function secondsOf(count: number | string | null, unit: string): number | string | null {
  if (unit === 'ever') return null;
  const { seconds } = UNITS.find(({ name }) => name === unit) ?? UNITS[0];
  return typeof count === 'number' ? count * seconds : (count ?? '');
}
