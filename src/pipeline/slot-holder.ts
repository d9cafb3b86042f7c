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

  /** One more attempt that is not over. */
  add({ state, bytes }: Opened): void {
    if (state === 'held') {
      this.held++;
      return;
    }
    this.waiting++;
    this.content += bytes;
  }

  /** One of its attempts holds no slot any more: it only waits for a server. */
  startWaiting(bytes: number): void {
    this.held--;
    this.waiting++;
    this.content += bytes;
  }

  /** One of its attempts is over. */
  remove({ state, bytes }: Opened): void {
    this.done++;
    if (state === 'held') {
      this.held--;
      return;
    }
    this.waiting--;
    this.content -= bytes;
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
export class Opened {
  state: 'held' | 'waiting' | 'over' = 'held';
  /** The domain of its recipient, and its tenant's part of that: looked up when they are needed. */
  domain: SlotHolder | null = null;
  domainTenant: SlotHolder | null = null;
  /** What they are looked up by; strings, so that the email itself is not kept. */
  routeName = '';
  tenantName = '';
  to = '';
  /** Its neighbours among those that hold a slot. */
  before: Opened | null = null;
  after: Opened | null = null;

  constructor(
    readonly at: number,
    readonly bytes: number,
    readonly route: SlotHolder,
    readonly tenant: SlotHolder | null,
  ) {}
}

/**
 * The attempts that hold a slot, in the order in which they were opened. What leaves is unlinked at once and kept by nobody:
 * nearly all end within milliseconds, and memory that dies young costs little.
 */
export class OpenedQueue {
  first: Opened | null = null;
  private last: Opened | null = null;

  add(item: Opened): void {
    item.before = this.last;
    if (this.last) this.last.after = item;
    else this.first = item;
    this.last = item;
  }

  remove(item: Opened): void {
    if (item.before) item.before.after = item.after;
    else this.first = item.after;
    if (item.after) item.after.before = item.before;
    else this.last = item.before;
    item.before = null;
    item.after = null;
  }
}
