import type { Clock } from '../kernel/index.js';

/**
 * How many emails of one route are in flight at once in this process. The limit halves when the
 * server says it is too many and grows back by one for each full round of successes; after an outage
 * it starts at one and doubles with each success until it is back to normal.
 */
export class RouteConcurrency {
  private current: number;
  private inFlight = 0;
  /** Claimed for this route and not yet begun. */
  private expected = 0;
  private expectedUntil = 0;
  private ramping = false;
  private shrunkAt = Number.NEGATIVE_INFINITY;
  private readonly waiting: Array<() => void> = [];

  constructor(
    /** The normal limit. */
    private readonly normal: number,
    private readonly clock: Clock,
    /** Room came back, or the limit reached normal again. */
    private readonly on: { room(): void; ramped(): void } = { room() {}, ramped() {} },
  ) {
    this.current = normal;
  }

  get limit(): number {
    return Math.floor(this.current);
  }

  /** How many more may be claimed; without bound while the limit is the worker's own. */
  room(bounded: boolean): number {
    if (!bounded && this.limit >= this.normal) return Number.POSITIVE_INFINITY;
    if (this.clock.monotonic() > this.expectedUntil) this.expected = 0;
    return Math.max(0, this.limit - this.inFlight - this.waiting.length - this.expected);
  }

  /** How many would enter now without waiting. */
  get free(): number {
    return this.waiting.length > 0 ? 0 : Math.max(0, this.limit - this.inFlight);
  }

  /** So many were claimed and will come soon; those that do not are forgotten. */
  expect(count: number): void {
    this.expected += count;
    this.expectedUntil = this.clock.monotonic() + EXPECTED_MS;
  }

  /** Enters if there is room now. */
  tryEnter(): boolean {
    if (this.inFlight >= this.limit) return false;
    this.expected = Math.max(0, this.expected - 1);
    this.inFlight++;
    return true;
  }

  /** Waits its turn; false when that took too long or the process stops. */
  async enter(options: { maxWaitMs: number; signal: AbortSignal }): Promise<boolean> {
    if (this.tryEnter()) return true;
    this.expected = Math.max(0, this.expected - 1);
    return new Promise((resolve) => {
      const end = (entered: boolean) => {
        clearTimeout(timer);
        options.signal.removeEventListener('abort', giveUp);
        resolve(entered);
      };
      const turn = () => end(true);
      const giveUp = () => {
        const place = this.waiting.indexOf(turn);
        if (place < 0) return;
        this.waiting.splice(place, 1);
        end(false);
      };
      const timer = setTimeout(giveUp, options.maxWaitMs);
      options.signal.addEventListener('abort', giveUp, { once: true });
      this.waiting.push(turn);
      if (options.signal.aborted) giveUp();
    });
  }

  leave(): void {
    this.inFlight--;
    this.admit();
  }

  succeeded(): void {
    if (this.current >= this.normal) return;
    this.current = Math.min(this.normal, this.ramping ? this.current * 2 : this.current + 1 / this.current);
    if (this.ramping && this.current >= this.normal) {
      this.ramping = false;
      this.on.ramped();
    }
    this.admit();
  }

  /** The server has too many connections of ours. Answers to one crowd count once. */
  crowded(): void {
    const now = this.clock.monotonic();
    if (now - this.shrunkAt < CROWD_MS) return;
    this.shrunkAt = now;
    this.current = Math.max(1, this.limit / 2);
  }

  /** Begins again with one. */
  ramp(): void {
    this.current = 1;
    this.ramping = this.normal > 1;
    if (!this.ramping) this.on.ramped();
  }

  private admit(): void {
    let admitted = false;
    while (this.inFlight < this.limit && this.waiting.length > 0) {
      this.inFlight++;
      this.waiting.shift()?.();
      admitted = true;
    }
    if (!admitted && this.inFlight < this.limit) this.on.room();
  }
}

const EXPECTED_MS = 2000;
const CROWD_MS = 1000;
