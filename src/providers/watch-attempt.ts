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
  const stop = () => target.lose(STOPPING, 'the process is stopping');
  const forget = onAbort(attempt.signal, stop);
  let timer = after(attempt.sendDeadlineAt - options.clock.now(), () =>
    target.lose(options.timeoutCode ?? 'ETIMEDOUT', 'not sent within the time of the attempt'),
  );
  if (attempt.signal.aborted) stop();
  return {
    dotSent(replyTimeoutMs, code = 'ETIMEDOUT') {
      clearTimeout(timer);
      timer = after(replyTimeoutMs, () => target.lose(code, 'no answer to the message in time'));
    },
    end() {
      clearTimeout(timer);
      forget();
    },
  };
}

export interface Losable {
  lose(code: string, message: string): void;
}

export interface AttemptWatch {
  dotSent(replyTimeoutMs: number, code?: string): void;
  end(): void;
}

const MAX_TIMER_MS = 2 ** 31 - 1;
/** Timers of equal length share a list; of long ones nobody misses the fraction of a second. */
const LONG_MS = 10_000;

function after(ms: number, fn: () => void): NodeJS.Timeout {
  const length = ms > LONG_MS ? Math.ceil(ms / 500) * 500 : Math.max(ms, 0);
  return setTimeout(fn, Math.min(length, MAX_TIMER_MS));
}

// All attempts of a worker share one signal. A listener each would warn at the eleventh and make
// every removal a walk over the others, so each signal gets one listener and a set.
const watchers = new WeakMap<AbortSignal, Set<() => void>>();

function onAbort(signal: AbortSignal, fn: () => void): () => void {
  let set = watchers.get(signal);
  if (!set) {
    const created = new Set<() => void>();
    signal.addEventListener('abort', () => {
      for (const each of [...created]) each();
    });
    watchers.set(signal, created);
    set = created;
  }
  const registered = set;
  registered.add(fn);
  return () => registered.delete(fn);
}
