import { waitFor } from '../../services/index.js';

/**
 * For tests that count within a window of time: all windows end with an hour of UTC, and a test that runs across such
 * an end counts in two. Waits, at most these seconds and almost never, until the hour has enough left.
 */
export async function awayFromWindowEnd(neededMs = 20_000): Promise<void> {
  await waitFor(() => HOUR_MS - (Date.now() % HOUR_MS) > neededMs, {
    timeoutMs: neededMs + 5000,
    everyMs: 250,
    what: 'the next hour to begin',
  });
}

const HOUR_MS = 3_600_000;
