import { delay } from './kernel/index.js';
import type { Database } from './store/index.js';

/** A server that hangs answers no goodbye, so closing is given up after five seconds. */
export async function closeStore(database: Database | null): Promise<void> {
  const over = new AbortController();
  await Promise.race([database?.close(), delay(CLOSE_WITHIN_MS, over.signal)]);
  over.abort();
}

const CLOSE_WITHIN_MS = 5000;
