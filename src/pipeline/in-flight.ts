import { type Clock, Signal } from '../kernel/index.js';

/**
 * What is between opened and settled, bounded by count and by bytes, and how much to claim ahead: as
 * much as a quarter of a second of recent work, so that a slow provider does not hoard claims which an
 * urgent email would then have to wait behind. An attempt that is over makes room for the next, and needs its content
 * no more, while its result is written; how many wait for that is bounded too, because they are what a crash may repeat.
 */
export interface InFlightLimits {
  concurrency: number;
  inFlightBytes: number;
  batchSize: number;
  clock: Clock;
}

interface Sized {
  id: string;
  bytes: number;
}

const WINDOW_MS = 250;
const MAX_UNSETTLED = 100;
const OPENING_MS = 6;

export class InFlight {
  private readonly bytesOf = new Map<string, number>();
  /** Attempts that are over and whose result is being written. */
  private readonly unsettled = new Set<string>();
  private readonly emptied = new Signal();
  private bytes = 0;
  private windowStart: number;
  private doneInWindow = 0;
  private recent = 0;

  constructor(private readonly limits: InFlightLimits) {
    this.windowStart = limits.clock.monotonic();
  }

  get count(): number {
    return this.bytesOf.size;
  }

  ids(): string[] {
    return [...this.bytesOf.keys()];
  }

  add(items: readonly Sized[]): void {
    for (const { id, bytes } of items) {
      this.bytesOf.set(id, bytes);
      this.bytes += bytes;
    }
  }

  /** The attempt is over and its content gone; its result is still to be written. */
  attempted({ id }: { id: string }): void {
    const bytes = this.bytesOf.get(id);
    if (bytes === undefined) return;
    this.unsettled.add(id);
    this.bytesOf.set(id, 0);
    this.bytes -= bytes;
  }

  remove({ id }: { id: string }): void {
    const bytes = this.bytesOf.get(id);
    if (bytes === undefined) return;
    this.bytesOf.delete(id);
    this.unsettled.delete(id);
    this.bytes -= bytes;
    this.doneInWindow++;
    this.roll();
    if (this.count === 0) this.emptied.notify();
  }

  /**
   * Takes from the front what fits; at least one when nothing is being attempted, however large it is. Where `still` says
   * that nothing has moved for a while, what little room there is: the others may wait for an answer for minutes.
   */
  take<Item extends Sized>(waiting: Item[], { still = false } = {}): Item[] {
    this.roll();
    const { concurrency } = this.limits;
    const attempting = this.count - this.unsettled.size;
    const free = Math.min(concurrency - attempting, concurrency + MAX_UNSETTLED - this.count);
    const worth = still ? 1 : this.worthOpening();
    if (this.count > 0 && free < Math.min(waiting.length, worth)) return [];
    const batch: Item[] = [];
    let bytes = this.bytes;
    while (batch.length < free && waiting.length > 0) {
      const next = waiting[0];
      if (!next || (bytes + next.bytes > this.limits.inFlightBytes && attempting + batch.length > 0)) break;
      bytes += next.bytes;
      batch.push(next);
      waiting.shift();
    }
    return batch;
  }

  /**
   * Fewer, larger openings: forty in one statement cost the database and this process half of four times ten. So a
   * quarter of the room must be free, and up to half where that takes no more than some milliseconds.
   */
  private worthOpening(): number {
    const { concurrency } = this.limits;
    return Math.min(concurrency / 2, Math.max(concurrency / 4, (this.recent * OPENING_MS) / WINDOW_MS));
  }

  claimTarget(): number {
    this.roll();
    const { concurrency, batchSize } = this.limits;
    return Math.min(batchSize, Math.max(concurrency, this.recent, this.doneInWindow));
  }

  /** True when nothing is in flight any more, false when the time ran out or the signal came first. */
  async untilEmpty(timeoutMs: number, signal?: AbortSignal): Promise<boolean> {
    const until = this.limits.clock.monotonic() + timeoutMs;
    while (this.count > 0) {
      const left = until - this.limits.clock.monotonic();
      if (left <= 0 || signal?.aborted) return false;
      await this.emptied.wait(Math.min(left, WINDOW_MS));
    }
    return true;
  }

  private roll(): void {
    const now = this.limits.clock.monotonic();
    const passed = now - this.windowStart;
    if (passed < WINDOW_MS) return;
    this.recent = Math.round((this.doneInWindow * WINDOW_MS) / passed);
    this.doneInWindow = 0;
    this.windowStart = now;
  }
}
