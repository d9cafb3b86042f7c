import { delay, PostriderError } from '../kernel/index.js';
import { type Database, sqlStateOf } from '../store/index.js';

/**
 * Begins or ends that the ledger tells of its changes. Its tables are locked for that, and each try gives up after a
 * second, because writers wait behind it; a vacuum or a long transaction in the way is tried again between them.
 */
export async function changeListening<Row extends object>(
  database: Database,
  change: string,
): Promise<Row[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await database.query<Row>(change)).rows;
    } catch (error) {
      if (!isInTheWay(error)) throw error;
      if (attempt === TRIES)
        throw new PostriderError(
          'STORE_UNAVAILABLE',
          'The ledger is in use by a long transaction; try again.',
          {
            cause: error,
            retryAfterSeconds: 1,
          },
        );
      await delay(BETWEEN_MS);
    }
  }
}

export function isInTheWay(error: unknown): boolean {
  const code = sqlStateOf(error);
  return code === LOCK_NOT_AVAILABLE || code === DEADLOCK_DETECTED;
}

const TRIES = 10;
const BETWEEN_MS = 200;
const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK_DETECTED = '40P01';
