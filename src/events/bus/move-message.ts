import {
  type Connection,
  createRawPublisher,
  type HeaderValue,
  maxPropertyBytes,
  propertiesForMove,
  type RawMessage,
  UnroutableError,
} from '../../amqp/index.js';
import type { Clock } from '../../kernel/index.js';

/**
 * Publishes a message again to another queue, byte for byte. Resolves when the broker has it there; rejects when it
 * refuses it, does not confirm in time or has no such queue, and then the message stays where it is.
 */
export interface Mover {
  move(message: RawMessage, queue: string, headers: Record<string, HeaderValue | undefined>): Promise<void>;
  close(): Promise<void>;
}

export function createMover(connection: Connection, { timeoutMs }: { timeoutMs: number }): Mover {
  const publisher = createRawPublisher(connection, { timeoutMs });
  return {
    move({ properties, body }, queue, headers) {
      const moved = propertiesForMove(properties, headers, maxPropertyBytes(connection));
      return publisher.publish({ exchange: '', routingKey: queue, properties: moved, body });
    },
    close: () => publisher.close(),
  };
}

/** A mover for one that consumes: while moves fail it tries one at a time, at ever longer waits. */
export interface PatientMover extends Mover {
  /** Why moves fail; null while they do not. */
  trouble(): string | null;
}

/** Nothing was tried: the last move failed, and its wait is not over. */
export class TooSoonError extends Error {
  override readonly name = 'TooSoonError';
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 60_000;

export function createPatientMover(
  mover: Mover,
  { clock, declare }: { clock: Clock; declare(): Promise<void> },
): PatientMover {
  /** Null while moves succeed. */
  let trouble: { failures: number; notBefore: number; trying: boolean; reason: string } | null = null;

  function failed(error: unknown): void {
    const failures = (trouble?.failures ?? 0) + 1;
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (failures - 1));
    const reason = error instanceof Error ? error.message : String(error);
    trouble = { failures, notBefore: clock.monotonic() + waitMs, trying: false, reason };
  }

  return {
    async move(message, queue, headers) {
      const before = trouble;
      if (before) {
        if (before.trying || clock.monotonic() < before.notBefore) throw new TooSoonError(before.reason);
        before.trying = true;
      }
      try {
        await mover.move(message, queue, headers);
        trouble = null;
      } catch (error) {
        // Those that were on their way together count as one failure.
        if (trouble === before) failed(error);
        // A queue that somebody deleted is there again for the next try.
        if (error instanceof UnroutableError) await declare();
        throw error;
      }
    },
    trouble: () => trouble?.reason ?? null,
    close: () => mover.close(),
  };
}
