import { delay, type Logger, messageOf, type Randomness } from '../kernel/index.js';
import { type Database, isStoreAway } from '../store/index.js';
import { type DeliveryResult, type SettledDelivery, settleDeliveries } from './settle-deliveries.js';

/**
 * Collects results of requests and writes them at a hundred, or ten milliseconds after the first: one transaction for
 * many. While the database is away they are kept; a result the database refuses is tried apart from its neighbours and
 * then given up, and its delivery is due again when its lease ends.
 */
export interface DeliverySettler {
  /** Null: another process has taken the delivery over. Rejects when the result is given up. */
  settle(result: DeliveryResult): Promise<SettledDelivery | null>;
  /** From now on a database that is away is not waited for. */
  abandon(): void;
}

export interface DeliverySettlerOptions {
  database: () => Promise<Database>;
  failingForMs: number;
  /** Keeps a batch from being written beside a claim. */
  inTurn<T>(work: () => Promise<T>): Promise<T>;
  /** A batch was written, and those who wait for it know. */
  onWritten(): void;
  random: Randomness;
  logger: Logger;
}

const FLUSH_AT = 100;
const FLUSH_MS = 10;
const AWAY_MS = 1000;

interface Entry {
  result: DeliveryResult;
  resolve(settled: SettledDelivery | null): void;
  reject(error: unknown): void;
}

export function createDeliverySettler(options: DeliverySettlerOptions): DeliverySettler {
  const { logger } = options;
  const waiting: Entry[] = [];
  const abandoned = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let writing = false;

  function pump(): void {
    if (waiting.length === 0 || writing) return;
    if (waiting.length >= FLUSH_AT) flush();
    else timer ??= setTimeout(flush, FLUSH_MS);
  }

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    if (waiting.length === 0 || writing) return;
    const batch = waiting.splice(0, FLUSH_AT);
    writing = true;
    write(batch).then(() => {
      writing = false;
      options.onWritten();
      pump();
    });
  }

  /** Never rejects. */
  async function write(batch: readonly Entry[]): Promise<void> {
    for (;;) {
      try {
        const results = batch.map(({ result }) => result);
        const settled = await options.inTurn(async () =>
          settleDeliveries(await options.database(), results, options.failingForMs),
        );
        for (const { result, resolve } of batch) resolve(settled.get(result.delivery.id) ?? null);
        return;
      } catch (error) {
        if (!isStoreAway(error)) return setApart(batch, error);
        if (abandoned.signal.aborted) return giveUp(batch, error);
        logger.warn(
          { count: batch.length, err: messageOf(error) },
          'webhook results could not be written yet',
        );
        await delay(AWAY_MS * (1 + options.random() * 0.5), abandoned.signal);
      }
    }
  }

  /** What the database refuses must not keep its neighbours from being written. */
  async function setApart(batch: readonly Entry[], error: unknown): Promise<void> {
    if (batch.length === 1) return giveUp(batch, error);
    const middle = Math.ceil(batch.length / 2);
    await write(batch.slice(0, middle));
    await write(batch.slice(middle));
  }

  function giveUp(batch: readonly Entry[], error: unknown): void {
    for (const { reject } of batch) reject(error);
  }

  return {
    settle(result) {
      return new Promise((resolve, reject) => {
        waiting.push({ result, resolve, reject });
        pump();
      });
    },
    abandon() {
      abandoned.abort();
    },
  };
}
