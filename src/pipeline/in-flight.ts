import { type Clock, Signal } from '../kernel/index.js';
import type { Opened } from './slot-holder.js';
import type { Addressed, SlotShares } from './slot-shares.js';

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
  /** Who holds how much of it; without them all are alike. */
  shares?: SlotShares;
}

interface Sized {
  id: string;
  bytes: number;
  route?: string;
  tenant?: string | undefined;
  /** Of a suspect. */
  groupLimit?: number | undefined;
}

const NONE = { count: 0, bytes: 0 };
const WINDOW_MS = 250;
const MAX_UNSETTLED = 100;
const OPENING_MS = 6;

export class InFlight {
  private readonly bytesOf = new Map<string, number>();
  private readonly slots = new Map<string, Opened>();
  /** Larger than all the room. */
  private large = 0;
  /** Attempts that are over and whose result is being written. */
  private readonly unsettled = new Set<string>();
  private readonly emptied = new Signal();
  private bytes = 0;
  private windowStart: number;
  private doneInWindow = 0;
  private recent = 0;
  /** How many were passed over when it was last looked: their route or tenant has its share. */
  passedOver = 0;

  constructor(private readonly limits: InFlightLimits) {
    this.windowStart = limits.clock.monotonic();
  }

  get count(): number {
    return this.bytesOf.size;
  }

  has({ id }: { id: string }): boolean {
    return this.bytesOf.has(id);
  }

  ids(): string[] {
    return [...this.bytesOf.keys()];
  }

  add(items: readonly Sized[]): void {
    for (const item of items) {
      this.bytesOf.set(item.id, item.bytes);
      this.bytes += item.bytes;
      if (this.isLarge(item.bytes)) this.large++;
      if (!this.slots.has(item.id)) this.takeSlot(item);
    }
  }

  /** How long it has to wait because of the domain of its recipient; null: not at all. */
  domainWaitMs(email: Addressed & { id: string }): number | null {
    const slot = this.slots.get(email.id);
    return slot ? (this.limits.shares?.enterDomain(slot, email) ?? null) : null;
  }

  /** The attempt is over and its content gone; its result is still to be written. */
  attempted({ id }: { id: string }): void {
    const bytes = this.bytesOf.get(id);
    if (bytes === undefined) return;
    this.unsettled.add(id);
    this.bytesOf.set(id, 0);
    this.letContentGo(id, bytes);
  }

  remove({ id }: { id: string }): void {
    const bytes = this.bytesOf.get(id);
    if (bytes === undefined) return;
    this.bytesOf.delete(id);
    this.unsettled.delete(id);
    this.letContentGo(id, bytes);
    this.doneInWindow++;
    this.roll();
    if (this.count === 0) this.emptied.notify();
  }

  /**
   * Takes from the front what fits; at least one when nothing is being attempted, however large it is. What only waits for
   * its server has no part in that. Passes over emails whose route or tenant has its share. Where `still` says that
   * nothing has moved for a while, what little room there is.
   */
  take<Item extends Sized>(waiting: Item[], { still = false } = {}): Item[] {
    this.roll();
    const { concurrency, inFlightBytes, shares } = this.limits;
    const idle = shares?.waitingForServers() ?? NONE;
    const count = this.count - idle.count;
    const attempting = count - this.unsettled.size;
    const free = Math.min(concurrency - attempting, concurrency + MAX_UNSETTLED - count);
    const worth = still ? 1 : this.worthOpening();
    if (count > 0 && free < Math.min(waiting.length, worth)) return [];
    this.passedOver = 0;
    shares?.lookAgain();
    const batch: Item[] = [];
    const left: Item[] = [];
    let bytes = this.bytes - idle.bytes;
    let at = 0;
    for (; batch.length < free && at < waiting.length; at++) {
      const next = waiting[at]!;
      // Another that is as large may wait for its server for minutes.
      const large = this.isLarge(next.bytes) && this.large > 0;
      if (large || !this.mayOpen(next)) {
        left.push(next);
        continue;
      }
      if (bytes + next.bytes > inFlightBytes && attempting + batch.length > 0) break;
      bytes += next.bytes;
      batch.push(next);
      this.takeSlot(next);
    }
    this.passedOver = left.length;
    waiting.splice(0, at, ...left);
    return batch;
  }

  private mayOpen({ route, tenant, groupLimit }: Sized): boolean {
    const { shares } = this.limits;
    if (!shares || route === undefined) return true;
    return shares.mayOpen({ route, tenant }, groupLimit !== undefined);
  }

  private takeSlot({ id, route, tenant, bytes }: Sized): void {
    const { shares } = this.limits;
    if (!shares || route === undefined) return;
    this.slots.set(id, shares.open({ route, tenant, bytes }));
  }

  private letContentGo(id: string, bytes: number): void {
    this.bytes -= bytes;
    if (this.isLarge(bytes)) this.large--;
    const slot = this.slots.get(id);
    if (!slot) return;
    this.slots.delete(id);
    this.limits.shares?.close(slot);
  }

  private isLarge(bytes: number): boolean {
    return bytes > this.limits.inFlightBytes;
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
