import type { Clock } from '../kernel/index.js';
import { STOPPING } from './our-side.js';
import type { AttemptContext } from './provider.js';

/**
 * Ends what an attempt is waiting for when its time is over or the process stops: one absolute
 * deadline however slowly the bytes drip. After the final dot only the wait for the answer counts.
 */
export function watchAttempt(
  target: Losable,
  attempt: AttemptContext,
  options: { clock: Clock; timeoutCode?: string },
): AttemptWatch {
  return new Watch(target, attempt, options);
}

export interface Losable {
  lose(code: string, message: string): void;
}

export interface AttemptWatch {
  dotSent(replyTimeoutMs: number, code?: string): void;
  end(): void;
}

/** A class, because the closures it would take are made for every email. */
class Watch implements AttemptWatch {
  /** Its place among those of the same signal. */
  at = 0;
  private timer: NodeJS.Timeout;
  private readonly others: Watches;
  private timeoutCode: string;

  constructor(
    private readonly target: Losable,
    attempt: AttemptContext,
    { clock, timeoutCode = 'ETIMEDOUT' }: { clock: Clock; timeoutCode?: string },
  ) {
    this.timeoutCode = timeoutCode;
    this.others = watchesOf(attempt.signal);
    this.others.add(this);
    this.timer = after(attempt.sendDeadlineAt - clock.now(), tooLate, this);
    if (attempt.signal.aborted) this.stop();
  }

  dotSent(replyTimeoutMs: number, code = 'ETIMEDOUT'): void {
    clearTimeout(this.timer);
    this.timeoutCode = code;
    this.timer = after(replyTimeoutMs, unanswered, this);
  }

  end(): void {
    clearTimeout(this.timer);
    this.others.remove(this);
  }

  lose(why: string): void {
    this.target.lose(this.timeoutCode, why);
  }

  stop(): void {
    this.target.lose(STOPPING, 'the process is stopping');
  }
}

const tooLate = (watch: Watch) => watch.lose('not sent within the time of the attempt');
const unanswered = (watch: Watch) => watch.lose('no answer to the message in time');

const MAX_TIMER_MS = 2 ** 31 - 1;
/** Timers of equal length share a list; of long ones nobody misses the fraction of a second. */
const LONG_MS = 10_000;

function after(ms: number, fn: (watch: Watch) => void, watch: Watch): NodeJS.Timeout {
  const length = ms > LONG_MS ? Math.ceil(ms / 500) * 500 : Math.max(ms, 0);
  return setTimeout(fn, Math.min(length, MAX_TIMER_MS), watch);
}

/**
 * All attempts of a worker share one signal. A listener each would warn at the eleventh and make every removal a walk
 * over the others, so each signal gets one listener and a list; why no Set: see docs/decisions/0012.
 */
class Watches {
  private readonly list: Watch[] = [];

  add(watch: Watch): void {
    watch.at = this.list.push(watch) - 1;
  }

  /** The last takes its place. */
  remove(watch: Watch): void {
    if (this.list[watch.at] !== watch) return;
    const last = this.list.pop()!;
    if (last === watch) return;
    last.at = watch.at;
    this.list[watch.at] = last;
  }

  readonly stopAll = (): void => {
    for (const watch of [...this.list]) watch.stop();
  };
}

const watches = new WeakMap<AbortSignal, Watches>();

function watchesOf(signal: AbortSignal): Watches {
  let found = watches.get(signal);
  if (!found) {
    found = new Watches();
    signal.addEventListener('abort', found.stopAll);
    watches.set(signal, found);
  }
  return found;
}
