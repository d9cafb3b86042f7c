/**
 * Ends answers that their clients do not take. What waits to be sent is in memory, and a client that reads nothing would
 * keep it there for as long as it likes. Judged by what waits, of each and of all together, not by time alone: an export or a stream of
 * events may last as long as its client reads.
 */
import type { Server, ServerResponse } from 'node:http';
import { systemClock } from '../../kernel/index.js';

export interface ReadingLimits {
  graceMs: number;
  leastBytesPerSecond: number;
  lookEveryMs: number;
  /** Of all answers together; beyond it those that wait longest end. */
  mostWaitingBytes: number;
}

export function cutSlowReaders(
  server: Server,
  { graceMs, leastBytesPerSecond, lookEveryMs, mostWaitingBytes }: ReadingLimits = USUAL,
): void {
  const underWay = new Set<ServerResponse>();
  /** In the order in which they began to wait. */
  const waiting = new Map<ServerResponse, { since: number; bytes: number }>();

  function look(): void {
    const now = systemClock.monotonic();
    let together = 0;
    for (const response of underWay) {
      const bytes = response.writableLength;
      const known = waiting.get(response);
      together += bytes;
      // Less than there was: something of it has gone.
      if (bytes === 0 || (known !== undefined && bytes < known.bytes)) waiting.delete(response);
      if (bytes > 0 && !waiting.has(response)) waiting.set(response, { since: now, bytes });
    }
    for (const [response, { since, bytes }] of waiting) {
      const isLate = now - since > graceMs + (bytes / leastBytesPerSecond) * 1000;
      if (!isLate && together <= mostWaitingBytes) continue;
      together -= bytes;
      response.destroy();
    }
  }

  server.on('request', (_request, response: ServerResponse) => {
    underWay.add(response);
    response.once('close', () => {
      underWay.delete(response);
      waiting.delete(response);
    });
  });
  const looking = setInterval(look, lookEveryMs).unref();
  server.once('close', () => clearInterval(looking));
}

const USUAL: ReadingLimits = {
  graceMs: 10_000,
  leastBytesPerSecond: 64 * 1024,
  lookEveryMs: 250,
  mostWaitingBytes: 128 * 1024 ** 2,
};
