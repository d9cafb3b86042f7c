/**
 * How quickly a server answers a message at its best, learnt from every answer. The best and not the mean: while this
 * process is busy answers lie unread, and further connections would not change that.
 */
export class AnswerPace {
  private bestMs = Number.POSITIVE_INFINITY;

  learn(replyMs: number): void {
    // A little worse each time, so that a server that has become slow is known as slow after some dozens of answers.
    this.bestMs = Math.min(replyMs, this.bestMs * FADE + FADE_MS);
  }

  /** Whether the last of so many in line has his turn within a few milliseconds on so many connections. */
  comesSoon(inLine: number, connections: number): boolean {
    return connections > 0 && inLine * this.bestMs <= SOON_MS * connections;
  }
}

const FADE = 1.02;
const FADE_MS = 0.02;
/** A server of 4 ms still gets 18 connections from 40 emails at once, one of 5 ms and more all of them. */
const SOON_MS = 5;
