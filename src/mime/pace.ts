import { nextTurn } from '../kernel/index.js';

/**
 * The work on one message in slices, between which everything else in the process goes on. What is counted is work and
 * not time: a slice is a few milliseconds of it. What fits one slice never waits.
 */
export class Pace {
  private left = SLICE;

  /** Counts work, in bytes looked at; true when the slice is used up and `nextTurn` is to be awaited. */
  spend(bytes: number): boolean {
    this.left -= bytes;
    return this.left <= 0;
  }

  async nextTurn(): Promise<void> {
    await nextTurn();
    this.left = SLICE;
  }
}

const SLICE = 1024 ** 2;
