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
  /** What it has of the shares from when it was taken. */
  slot?: Opened | null;
}

interface Flight {
  /** Of its content, while it is needed. */
  bytes: number;
  /** Over, and its result is being written. */
  attempted: boolean;
  slot: Opened | null;
}

const NONE = { count: 0, bytes: 0 };
const WINDOW_MS = 250;
const MAX_UNSETTLED = 100;
const OPENING_MS = 6;

export class InFlight {
  private readonly flights = new Map<string, Flight>();
  /** Larger than all the room. */
  private large = 0;
  /** Attempts that are over and whose result is being written. */
  private unsettled = 0;
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
    return this.flights.size;
  }

  has({ id }: { id: string }): boolean {
    return this.flights.has(id);
  }

  ids(): string[] {
    return [...this.flights.keys()];
  }

  add(items: readonly Sized[]): void {
    for (const { id, bytes, slot, route, tenant } of items) {
      const held = slot ?? this.takeSlot({ route, tenant, bytes });
      this.flights.set(id, { bytes, attempted: false, slot: held });
      this.bytes += bytes;
      if (this.isLarge(bytes)) this.large++;
    }
  }

  /** How long it has to wait because of the domain of its recipient; null: not at all. */
  domainWaitMs(email: Addressed & { id: string }): number | null {
    const { shares } = this.limits;
    if (!shares) return null;
    const slot = this.flights.get(email.id)?.slot;
    return slot ? shares.enterDomain(slot, email) : null;
  }

  /** The attempt is over and its content gone; its result is still to be written. */
  attempted({ id }: { id: string }): void {
    const flight = this.flights.get(id);
    if (!flight || flight.attempted) return;
    flight.attempted = true;
    this.unsettled++;
    this.letContentGo(flight);
  }

  remove({ id }: { id: string }): void {
    const flight = this.flights.get(id);
    if (!flight) return;
    this.flights.delete(id);
    if (flight.attempted) this.unsettled--;
    else this.letContentGo(flight);
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
    const { concurrency, inFlightBytes, shares, clock } = this.limits;
    const now = clock.monotonic();
    this.roll(now);
    const idle = shares?.waitingForServers(now) ?? NONE;
    const count = this.count - idle.count;
    const attempting = count - this.unsettled;
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
      if (large || !this.mayOpen(next, now)) {
        left.push(next);
        continue;
      }
      if (bytes + next.bytes > inFlightBytes && attempting + batch.length > 0) break;
      bytes += next.bytes;
      batch.push(next);
      next.slot = this.takeSlot(next, now);
    }
    this.passedOver = left.length;
    waiting.splice(0, at, ...left);
    return batch;
  }

  private mayOpen({ route, tenant, groupLimit }: Sized, now: number): boolean {
    const { shares } = this.limits;
    if (!shares || route === undefined) return true;
    return shares.mayOpen({ route, tenant }, groupLimit !== undefined, now);
  }

  private takeSlot({ route, tenant, bytes }: Omit<Sized, 'id'>, now?: number): Opened | null {
    const { shares } = this.limits;
    if (!shares || route === undefined) return null;
    return shares.open({ route, tenant, bytes }, now);
  }

  private letContentGo(flight: Flight): void {
    const { bytes, slot } = flight;
    this.bytes -= bytes;
    if (this.isLarge(bytes)) this.large--;
    if (slot) this.limits.shares?.close(slot);
    flight.bytes = 0;
    flight.slot = null;
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

  private roll(now = this.limits.clock.monotonic()): void {
    const passed = now - this.windowStart;
    if (passed < WINDOW_MS) return;
    this.recent = Math.round((this.doneInWindow * WINDOW_MS) / passed);
    this.doneInWindow = 0;
    this.windowStart = now;
  }
}
