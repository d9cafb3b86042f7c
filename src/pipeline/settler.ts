import { delay, isPostriderError, type Logger, messageOf, type Randomness } from '../kernel/index.js';
import type { Ledger, Settlement } from '../outbox/index.js';

/**
 * Collects results and writes them at a hundred or after ten milliseconds, whichever is first, or when those
 * before them are written: what is sent but not yet settled is what a crash may repeat, so it is kept small. While the database is
 * away results are kept and written when it is back; nothing is dropped.
 */
export interface Settler {
  add(settlement: Settlement): Promise<SettleResult>;
  /** Resolves when everything added so far has been written or given up. */
  drain(): Promise<void>;
  /** From now on a database that is away is not waited for. */
  abandon(): void;
}

/** `fenced`: another worker owns the email by now; `abandoned`: the process stops without its database. */
export type SettleResult = 'settled' | 'fenced' | 'abandoned';

const FLUSH_AT = 100;
const FLUSH_MS = 10;
const WRITERS = 2;
const LATE_MS = 40;
const AWAY_MS = 1000;

export interface SettlerOptions {
  ledger: Ledger;
  logger: Logger;
  random: Randomness;
  /** True when somebody waits for the next result and no other will come to share its way. */
  hurry?(): boolean;
  /** A batch was written. */
  onWritten?(count: number): void;
}

export function createSettler(options: SettlerOptions): Settler {
  const waiting: Entry[] = [];
  let writing = 0;
  let refused = 0;
  let timer: NodeJS.Timeout | undefined;
  /** What waits has waited its ten milliseconds. */
  let due = false;
  let idle: Array<() => void> = [];
  const abandoned = new AbortController();

  function pump(): void {
    if (waiting.length === 0 || writing >= WRITERS) return;
    if (waiting.length >= FLUSH_AT || (due && writing === 0) || options.hurry?.()) flush();
    else timer ??= setTimeout(onTime, FLUSH_MS);
  }

  /** Beside another that is not full it would be two small ones: it goes when that one has come back, or is late. */
  function onTime(): void {
    if (writing > 0) {
      due = true;
      timer = setTimeout(flush, LATE_MS);
    } else flush();
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    due = false;
    if (waiting.length === 0 || writing >= WRITERS) return;
    const batch = waiting.splice(0, FLUSH_AT);
    writing++;
    write(batch).then(() => {
      writing--;
      pump();
      tellIdle();
    });
  }

  function tellIdle(): void {
    if (writing > 0 || waiting.length > 0 || refused > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  }

  async function write(batch: Entry[], uncertain = false): Promise<void> {
    for (;;) {
      try {
        const settlements = batch.map((entry) => entry.settlement);
        let done = await options.ledger.settle(settlements);
        // A statement whose answer was lost may have been committed all the same.
        if (uncertain && done.size < batch.length) {
          done = new Set([...done, ...(await options.ledger.findSettled(settlements))]);
        }
        options.onWritten?.(batch.length);
        for (const entry of batch) entry.resolve(done.has(entry.settlement.id) ? 'settled' : 'fenced');
        return;
      } catch (error) {
        uncertain = true;
        const away = isPostriderError(error) && error.code === 'STORE_UNAVAILABLE';
        options.logger[away ? 'warn' : 'error'](
          { count: batch.length, err: messageOf(error) },
          'results could not be written yet',
        );
        if (abandoned.signal.aborted) {
          for (const entry of batch) entry.resolve('abandoned');
          return;
        }
        if (!away) return setApart(batch);
        await delay(AWAY_MS * (1 + options.random() * 0.5), abandoned.signal);
      }
    }
  }

  /**
   * A result the database refuses must not keep its neighbours from being written: halves are tried
   * again, and the one that is refused alone is tried on the side for as long as the process lives.
   */
  async function setApart(batch: Entry[]): Promise<void> {
    if (batch.length > 1) {
      const middle = Math.ceil(batch.length / 2);
      await Promise.all([write(batch.slice(0, middle), true), write(batch.slice(middle), true)]);
      return;
    }
    refused++;
    delay(AWAY_MS * (1 + options.random() * 0.5), abandoned.signal)
      .then(() => write(batch, true))
      .then(() => {
        refused--;
        tellIdle();
      });
  }

  return {
    add: (settlement) =>
      new Promise((resolve) => {
        waiting.push({ settlement, resolve });
        pump();
      }),
    drain() {
      if (writing === 0 && waiting.length === 0 && refused === 0) return Promise.resolve();
      return new Promise((resolve) => {
        idle.push(resolve);
        flush();
      });
    },
    abandon: () => abandoned.abort(),
  };
}

interface Entry {
  settlement: Settlement;
  resolve(result: SettleResult): void;
}
