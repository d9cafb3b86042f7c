/**
 * Leaves the rest of a long work for a later turn of the event loop. Callers queue, and one goes on in each turn, so
 * the loop is free between any two steps however many long works are under way at once.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(letOneGoOn);
  });
}

const waiting: Array<() => void> = [];

function letOneGoOn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(letOneGoOn);
}

/**
 * Counts the work done since the last turn, in bytes of content, and waits for the next turn once it has become much:
 * `await turns.after(bytes)` between the pieces of a long work. Small work waits for nothing, not even a promise.
 */
export class Turns {
  private bytes = 0;

  /** A promise where it is time to let others have a turn, else undefined. */
  after(bytes: number): Promise<void> | undefined {
    this.bytes += bytes;
    if (this.bytes < BYTES_PER_TURN) return undefined;
    this.bytes = 0;
    return nextTurn();
  }
}

/** What is at most done with content at intake (checks, plain text) takes up to 10 ms for so much. */
const BYTES_PER_TURN = 128 * 1024;
