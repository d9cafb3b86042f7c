import { setImmediate as turn } from 'node:timers/promises';
import type { RateLimitState } from '../kernel/index.js';
import type { NewEmail } from '../outbox/index.js';
import { type Accepted, answerOf } from './accepted.js';

/**
 * A large batch in one transaction, in chunks: while the database writes one, the next is completed here. All or none,
 * as in one go; a refusal may come when part has been written, and what was written goes with the transaction.
 */
export interface ChunkSteps {
  /** Those from the first place up to, not including, the second. */
  complete(from: number, to: number): Promise<NewEmail[]>;
  /** Whether any of these is counted against a limit. */
  counts(emails: readonly NewEmail[]): boolean;
  /** Throws for one that may not be accepted; the first of these has this place in the batch. */
  judge(
    emails: readonly NewEmail[],
    place: number,
  ): Promise<readonly (RateLimitState | undefined)[] | undefined>;
  /** Everything but asking the database, which the function that is returned does. */
  prepareWrite(emails: readonly NewEmail[]): () => Promise<void>;
  /** How many writes may be under way: two where the next can be sent before the last is answered. */
  ahead: number;
  now(): number;
}

/** Below that what overlaps is less than what a transaction and a second statement cost. */
export const CHUNKED_FROM = 200;
const CHUNK = 64;
/** The first is short, so that the database begins early. */
const FIRST = 32;

export async function acceptInChunks(count: number, steps: ChunkSteps): Promise<Accepted[]> {
  const answers: Accepted[] = [];
  /** The oldest first, and there until it has ended well. */
  const underWay: Array<Promise<void>> = [];
  try {
    while (answers.length < count) {
      const place = answers.length;
      const emails = await steps.complete(place, place + chunkAt(place, count));
      // A limit is counted once for all of a batch, so from the first that has one the rest is judged together.
      if (steps.counts(emails)) emails.push(...(await steps.complete(place + emails.length, count)));
      const limits = await steps.judge(emails, place);
      for (let at = 0; at < emails.length; at += CHUNK) {
        const write = steps.prepareWrite(emails.slice(at, at + CHUNK));
        while (underWay.length >= steps.ahead) await endOfFirst(underWay);
        const writing = write();
        underWay.push(writing);
        // The socket takes what it did not take at once.
        await Promise.race([writing, turn()]);
      }
      for (const [at, email] of emails.entries()) answers.push(answerOf(email, steps.now(), limits?.[at]));
    }
    while (underWay.length > 0) await endOfFirst(underWay);
  } catch (error) {
    // The transaction ends only when nothing of it is under way; and the first write that failed is why the rest did.
    const ends = await Promise.allSettled(underWay);
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    throw error;
  }
  return answers;
}

async function endOfFirst(underWay: Array<Promise<void>>): Promise<void> {
  await underWay[0];
  underWay.shift();
}

/** About equal ones after the first. */
function chunkAt(place: number, count: number): number {
  const left = count - place;
  if (place === 0) return Math.min(left, FIRST);
  if (left <= CHUNK) return left;
  return left < CHUNK * 2 ? Math.ceil(left / 2) : CHUNK;
}
