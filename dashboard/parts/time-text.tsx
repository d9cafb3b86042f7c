/** A moment as people say it, with the exact one behind it. */
import { Tooltip } from '@mantine/core';

export function TimeText({ at }: { at: string | null | undefined }) {
  if (!at) return <span>–</span>;
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return <span>{at}</span>;
  return (
    <Tooltip label={`${date.toLocaleString()} · ${at}`}>
      <time dateTime={at} className="nowrap">
        {ago(date.getTime(), Date.now())}
      </time>
    </Tooltip>
  );
}

const STEPS = [
  { unit: 'second', ms: 1_000, until: 60_000 },
  { unit: 'minute', ms: 60_000, until: 3_600_000 },
  { unit: 'hour', ms: 3_600_000, until: 86_400_000 },
  { unit: 'day', ms: 86_400_000, until: 30 * 86_400_000 },
] as const;
const RELATIVE = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });
const EXACT = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });

export function ago(at: number, now: number): string {
  const distance = at - now;
  if (Math.abs(distance) < 1_000) return 'now';
  const step = STEPS.find(({ until }) => Math.abs(distance) < until);
  if (step) return RELATIVE.format(Math.trunc(distance / step.ms), step.unit);
  // Of a time that no calendar has nothing can be said.
  return Number.isNaN(at) ? '' : EXACT.format(at);
}

export function exactTime(at: string): string {
  const date = new Date(at);
  if (Number.isNaN(date.getTime())) return at;
  const time = date.toLocaleTimeString(undefined, { hour12: false });
  return `${date.toLocaleDateString()} ${time}.${String(date.getMilliseconds()).padStart(3, '0')}`;
}
