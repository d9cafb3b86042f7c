/**
 * What becomes of a message, by the HTTP-like status its handler answered with: done, through the retry queue, back into
 * the queue after a local wait, or into the dead-letter queue. A handler that threw has no status.
 */
export type ConsumerAction = 'ACK' | 'DROP' | 'REQUEUE' | 'DEAD_LETTER';

const TOO_EARLY = 425;

export function consumerAction(
  status: number | null,
  { retries, maxRetries }: { retries: number; maxRetries: number },
): ConsumerAction {
  if (status !== null && status >= 200 && status < 300) return 'ACK';
  if (retries >= maxRetries) return 'DEAD_LETTER';
  // Rate limits, lock conflicts, faults and messages that are wrong in themselves all take the retry queue.
  return status === TOO_EARLY ? 'REQUEUE' : 'DROP';
}
