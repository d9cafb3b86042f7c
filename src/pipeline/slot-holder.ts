/** An attempt for as long as it holds a slot. */
export const SLOT_MS = 250;
const LONGEST_TURN_MS = 60_000;

/** What one route, tenant or recipient domain has of a worker's attempts. */
export class SlotHolder {
  held = 0;
  waiting = 0;
  claimed = 0;
  /** Of those, what its tenants may not open now: it must not keep others from being claimed. */
  passedByTenant = 0;
  /** Ended in this window, and in the one before. */
  done = 0;
  recent = 0;
  /** Bytes of those that wait. */
  content = 0;
  private turnAt = 0;

  get total(): number {
    return this.held + this.waiting;
  }

  /** In about a quarter of a second. */
  served(): number {
    return Math.max(this.done, this.recent);
  }

  /** When the next one that finds no place may come again: as soon as it is likely to find one. */
  turnMs(now: number): number {
    this.turnAt = Math.max(this.turnAt, now) + SLOT_MS / Math.max(1, this.served());
    return Math.min(Math.max(SLOT_MS, this.turnAt - now), LONGEST_TURN_MS);
  }

  /** Whether nothing is known of it any more. */
  rollOver(): boolean {
    this.recent = this.done;
    this.done = 0;
    return this.recent + this.held + this.waiting + this.claimed === 0;
  }
}

/** An attempt that is not over. */
export interface Opened {
  readonly at: number;
  readonly bytes: number;
  readonly holders: SlotHolder[];
  state: 'held' | 'waiting' | 'over';
}

/** In the order in which they were opened; what is taken from the front is let go in large pieces. */
export class OpenedQueue {
  private items: Opened[] = [];
  private at = 0;

  add(item: Opened): void {
    this.items.push(item);
  }

  first(): Opened | undefined {
    return this.items[this.at];
  }

  shift(): void {
    this.at++;
    if (this.at < 256 || this.at * 2 < this.items.length) return;
    this.items = this.items.slice(this.at);
    this.at = 0;
  }
}
