/**
 * How often a message was retried, by what the broker writes into `x-death`. A message that comes back from the
 * dead-letter queue goes on from `x-final-retry-count`: brokers up to RabbitMQ 3 take up a republished `x-death` and
 * count on in it, RabbitMQ 4 ignores it and begins at one, and neither is counted twice. Which of the two it was is told
 * by when the count began, in whole seconds: exact for waits of a second and more.
 */
export type Headers = Readonly<Record<string, unknown>>;

/** The broker's own count for a queue, and since when (in seconds) it counts. */
export interface Deaths {
  count: number;
  since: number | null;
}

export const FINAL_RETRY_COUNT = 'x-final-retry-count';
/** The broker's count at the time a message was moved to the dead-letter queue: tells later which broker it is. */
export const FINAL_DEATHS = 'x-final-deaths';

export function countRetries(headers: Headers, queue: string): number {
  const deaths = deathsIn(headers, queue);
  const before = wholeNumber(headers[FINAL_RETRY_COUNT]);
  if (before === null) return deaths.count;
  const base = baseOf(headers) ?? { count: before, since: null };
  const counted = deaths.since ?? base.since;
  const anew = deaths.count < base.count || (base.since !== null && counted !== base.since);
  return before + (anew ? deaths.count : deaths.count - base.count);
}

export function deathsIn(headers: Headers, queue: string): Deaths {
  const entry = entriesOf(headers['x-death']).find((one) => one.queue === queue && one.reason === 'rejected');
  if (entry === undefined) return { count: 0, since: null };
  return { count: wholeNumber(entry.count) ?? UNCOUNTABLE, since: wholeNumber(entry.time) };
}

/** A publisher wrote a history in which nobody can count: the message has its one try, and no round without end. */
const UNCOUNTABLE = 1_000_000;

function baseOf(headers: Headers): Deaths | null {
  const base = headers[FINAL_DEATHS];
  if (typeof base !== 'object' || base === null) return null;
  const { count, since } = base as Record<string, unknown>;
  const whole = wholeNumber(count);
  return whole === null ? null : { count: whole, since: wholeNumber(since) };
}

function entriesOf(deaths: unknown): Array<Record<string, unknown>> {
  return Array.isArray(deaths) ? deaths.filter((entry) => typeof entry === 'object' && entry !== null) : [];
}

function wholeNumber(value: unknown): number | null {
  return Number.isSafeInteger(value) && Number(value) >= 0 ? Number(value) : null;
}
