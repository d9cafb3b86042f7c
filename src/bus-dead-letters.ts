import type { BusDeadLetter, BusDeadLetters } from './events/index.js';
import { refuseUnknownKeys } from './kernel/index.js';
import { readLimit, readWhich, type WhichLetters } from './which-letters.js';

/**
 * The bus as operators see it: how many events of emails wait for the broker, and which events of other services
 * could not be taken, to be looked at without their data and put back into the queue.
 */
export interface BusDesk {
  status(): Promise<{ service: string; waiting: number | null }>;
  list(options?: { limit?: number }): Promise<{ messages: BusDeadLetter[] }>;
  retry(which: WhichLetters): Promise<{ retried: number; left: number; notFound: string[] }>;
}

export function createBusDesk(parts: {
  /** Throws where there is no bus. */
  letters(): BusDeadLetters;
  service: string;
  waiting(): Promise<number | null>;
}): BusDesk {
  return {
    status: async () => ({ service: parts.service, waiting: await parts.waiting() }),
    async list(options = {}) {
      refuseUnknownKeys(options, ['limit'], 'INVALID_PAYLOAD');
      const limit = readLimit(options);
      return { messages: await parts.letters().list({ limit }) };
    },
    async retry(which) {
      const { ids } = readWhich(which);
      const { retried, left, notFound } = await parts.letters().retry(ids ? { ids } : {});
      return { retried, left, notFound };
    },
  };
}
