import type { Clock } from '../kernel/index.js';
import type { LateType } from './alert.js';
import { limitOf, type Thresholds } from './alert-defaults.js';

/**
 * How late the emails of a worker reached their provider, by type, over the last quarter of an hour: sensitive ones, and
 * those of types with a threshold of their own. Counted as they are sent, because on a busy store no bounded statement
 * finds the late ones. The time is the database's, carried on by the clock that nobody sets.
 */
export interface LateDeliveries {
  /** On the path of every email. */
  note(email: { type: string | null; sensitive: boolean; dueAt: Date }): void;
  /** What time it was in the database when it was asked, by the process's monotonic clock; until then nothing is counted. */
  setTime(databaseNow: Date, askedAt: number): void;
  late(): LateType[];
}

const MINUTE_MS = 60_000;
const MINUTES = 15;
const MOST_TYPES = 500;
/** As one slow server or a greylisted recipient is not worth a message. */
const FEWEST = 3;
const SHARE = 10;

interface Minute {
  at: number;
  sent: number;
  late: number;
  longestMs: number;
}

export function createLateDeliveries(
  thresholds: Thresholds,
  clock: Pick<Clock, 'monotonic'>,
): LateDeliveries {
  const minutes = new Map<string, Minute[]>();
  let aheadMs: number | null = null;

  const limitMs = (type: string) => limitOf(thresholds, 'lateMs', { type });
  const counts = (type: string, sensitive: boolean) =>
    sensitive || thresholds.types?.[type]?.lateMs !== undefined;

  function minuteOf(type: string, at: number): Minute | null {
    let list = minutes.get(type);
    if (!list) {
      if (minutes.size >= MOST_TYPES) return null;
      list = [];
      minutes.set(type, list);
    }
    const last = list.at(-1);
    if (last?.at === at) return last;
    const fresh = { at, sent: 0, late: 0, longestMs: 0 };
    list.push(fresh);
    if (list.length > MINUTES) list.shift();
    return fresh;
  }

  return {
    note({ type, sensitive, dueAt }) {
      const name = type ?? '';
      if (aheadMs === null || !counts(name, sensitive)) return;
      const now = clock.monotonic();
      const minute = minuteOf(name, Math.floor(now / MINUTE_MS));
      if (minute === null) return;
      const tookMs = now + aheadMs - dueAt.getTime();
      minute.sent++;
      if (tookMs <= limitMs(name)) return;
      minute.late++;
      minute.longestMs = Math.max(minute.longestMs, tookMs);
    },
    setTime(databaseNow, askedAt) {
      aheadMs = databaseNow.getTime() - askedAt;
    },
    late() {
      const oldest = Math.floor(clock.monotonic() / MINUTE_MS) - MINUTES + 1;
      return [...minutes].flatMap(([type, list]) => {
        const recent = list.filter(({ at }) => at >= oldest);
        if (recent.length === 0) minutes.delete(type);
        const sum = (of: 'sent' | 'late') => recent.reduce((total, minute) => total + minute[of], 0);
        const [sent, late] = [sum('sent'), sum('late')];
        if (late < FEWEST || late * SHARE < sent) return [];
        const longestMs = Math.max(...recent.map((minute) => minute.longestMs));
        return [{ type, late, sent, limitMs: limitMs(type), longestMs }];
      });
    },
  };
}
