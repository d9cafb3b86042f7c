import { PostriderError } from '../kernel/index.js';

/**
 * Tells a server that has stopped answering from one that is slow with a single statement: only when nothing at all
 * was heard on any of its connections for a while does a call give up. Counts ticks of this process instead of time,
 * so that a pause of our own is never taken for the server's silence.
 */
export class ServerSilence {
  #answers = 0;

  /** The server has answered something. */
  heard(): void {
    this.#answers += 1;
  }

  /** What `work` gives, or STORE_UNAVAILABLE after `limitMs` of silence. The work itself is not ended by that. */
  bound<T>(work: Promise<T>, limitMs: number): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let heard = this.#answers;
      let silentMs = 0;
      const ticks = setInterval(() => {
        silentMs = heard === this.#answers ? silentMs + TICK_MS : 0;
        heard = this.#answers;
        if (silentMs < limitMs) return;
        clearInterval(ticks);
        reject(new PostriderError('STORE_UNAVAILABLE', UNKNOWN_OUTCOME, { retryAfterSeconds: 1 }));
      }, TICK_MS);
      work.then(resolve, reject).finally(() => clearInterval(ticks));
    });
  }
}

const TICK_MS = 100;
const UNKNOWN_OUTCOME =
  'The database has stopped answering. Whether the call took effect is unknown; a repeat with the same idempotency key is safe.';
