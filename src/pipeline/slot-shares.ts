import type { Clock } from '../kernel/index.js';
import { Opened, OpenedQueue, SLOT_MS, SlotHolder } from './slot-holder.js';

/**
 * Who holds a worker's slots. An attempt holds one for a quarter of a second; after that it only waits for a server, and
 * its slot is free for others. A route holds no more slots than are free beside, so there are always some
 * for others, unless its attempts end quickly: then it may hold as many as it ended in the last half second. What waits for
 * servers is bounded in the same way. A route opens no more than its provider has connections for, and what those serve in
 * a quarter of a second: the rest waits in the ledger and not in a line for a connection.
 * A tenant whose attempts do not end quickly leaves an eighth of its route to others, and where there are others has no
 * more than is free beside it.
 */
export class SlotShares {
  private readonly routes = new Map<string, SlotHolder>();
  private readonly tenants = new Map<string, SlotHolder>();
  /** By route. */
  private readonly domains = new Map<string, SlotHolder>();
  /** What of that each tenant has. */
  private readonly domainTenants = new Map<string, SlotHolder>();
  private readonly young = new OpenedQueue();
  /** Attempts that hold a slot, and those that wait for a server. */
  private held = 0;
  private waiting = 0;
  /** Content of those that wait. */
  private waitingContent = 0;
  private windowStart: number;
  /** A route was given less than it asked for. */
  private short = false;
  private wake: () => void = () => {};

  constructor(private readonly options: SlotShareOptions) {
    this.windowStart = options.clock.monotonic();
  }

  /** Called when a route that was given too little may be given more. */
  onRoom(fn: () => void): void {
    this.wake = fn;
  }

  /** How many more emails of the route may be claimed. */
  room(route: string, limit: number): number {
    this.roll();
    const holder = this.routes.get(route);
    if (!holder) return Math.min(limit, this.most(route, IDLE));
    const ahead = Math.max(holder.done + holder.recent, Math.ceil(this.options.concurrency * AHEAD_PART));
    const room = this.most(route, holder) + ahead - holder.claimed + holder.passedByTenant;
    // Less than all is no sign: with few connections that is always so.
    if (room <= 0) this.short = true;
    return Math.max(0, Math.min(limit, room));
  }

  /** Tenants that may open nothing now: nothing more of theirs is claimed. */
  fullTenants(route: string): string[] {
    this.roll();
    // Of the only one there is some are claimed ahead.
    if (this.tenants.size === 1 && !this.routes.get(route)?.passedByTenant) return [];
    const full: string[] = [];
    const capacity = this.capacity(route);
    const free = capacity - (this.routes.get(route)?.total ?? 0);
    for (const [tenant, holder] of this.tenants) if (this.isFull(holder, free, capacity)) full.push(tenant);
    if (full.length > 0) this.short = true;
    return full;
  }

  claimed({ route }: Pick<Slot, 'route'>): void {
    this.holderOf(this.routes, route).claimed++;
  }

  unclaimed({ route }: Pick<Slot, 'route'>): void {
    this.holderOf(this.routes, route).claimed--;
  }

  /** All that are claimed are about to be asked for. */
  lookAgain(): void {
    for (const holder of this.routes.values()) holder.passedByTenant = 0;
  }

  /** `givesWay`: a suspect leaves some of the connections to others. */
  mayOpen(
    { route, tenant }: Pick<Slot, 'route' | 'tenant'>,
    givesWay: boolean,
    now = this.options.clock.monotonic(),
  ): boolean {
    this.roll(now);
    const holder = this.holderOf(this.routes, route);
    const capacity = this.capacity(route);
    const most = givesWay ? Math.max(1, Math.floor(capacity * SUSPECTS_PART)) : capacity + holder.served();
    if (holder.total >= most || !this.mayHold(holder)) return this.refuse();
    if (
      tenant === undefined ||
      !this.isFull(this.holderOf(this.tenants, tenant), capacity - holder.total, capacity)
    )
      return true;
    holder.passedByTenant++;
    return this.refuse();
  }

  open({ route, tenant, bytes }: Slot, now = this.options.clock.monotonic()): Opened {
    this.roll(now);
    const opened = new Opened(
      now,
      bytes,
      this.holderOf(this.routes, route),
      tenant === undefined ? null : this.holderOf(this.tenants, tenant),
    );
    opened.route.add(opened);
    opened.tenant?.add(opened);
    this.held++;
    this.young.add(opened);
    return opened;
  }

  /** The attempt is over. */
  close(opened: Opened): void {
    if (opened.state === 'over') return;
    if (opened.state === 'held') {
      this.held--;
      this.young.remove(opened);
    } else {
      this.waiting--;
      this.waitingContent -= opened.bytes;
    }
    opened.route.remove(opened);
    opened.tenant?.remove(opened);
    opened.domain?.remove(opened);
    opened.domainTenant?.remove(opened);
    opened.state = 'over';
    if (!this.short) return;
    this.short = false;
    this.wake();
  }

  /**
   * Adds the domain of its recipient to who holds it. Not where attempts to that domain by this route wait for a server and
   * have half of the route, or three quarters where there is no other domain, and the tenant has its part of them: then it
   * says how long to wait instead, each one behind the one before it. While nothing of the route waits, every domain is
   * let in, and counted only when it begins to wait.
   */
  enterDomain(opened: Opened, { route, tenant, to }: Addressed): number | null {
    if (opened.state === 'over') return null;
    const unbounded = opened.state === 'held' && opened.route.waiting === 0;
    const now = unbounded ? 0 : this.options.clock.monotonic();
    if (!unbounded) this.roll(now);
    opened.routeName = route;
    opened.tenantName = tenant;
    opened.to = to;
    if (unbounded) return null;
    const { domain, own } = this.domainOf(opened);
    const share = this.capacity(route) * (this.domains.size === 1 ? 0.75 : 0.5);
    const full = domain.total >= Math.max(2, share) && domain.waiting >= share / 2;
    if (full && own.total >= Math.max(2, share / 4)) {
      opened.to = '';
      return own.turnMs(now);
    }
    this.joinDomain(opened, domain, own);
    return null;
  }

  /** Attempts that hold no slot any more, and the bytes of their content. */
  waitingForServers(now = this.options.clock.monotonic()): { count: number; bytes: number } {
    this.roll(now);
    return { count: this.waiting, bytes: this.waitingContent };
  }

  /** Whether somebody was given less than it asked for since that was last mended. */
  get isShort(): boolean {
    return this.short && this.held + this.waiting > 0;
  }

  private refuse(): false {
    this.short = true;
    return false;
  }

  private isFull(tenant: SlotHolder, free: number, capacity: number): boolean {
    if (tenant.total < 2 * tenant.served()) return false;
    const alone = this.tenants.size === 1;
    return tenant.total >= Math.max(1, alone ? Math.ceil(ALONE_PART * capacity) : free);
  }

  private capacity(route: string): number {
    return Math.min(this.options.concurrency, this.options.connections(route));
  }

  private mayHold(holder: SlotHolder): boolean {
    const { concurrency, contentBytes } = this.options;
    const free = concurrency - this.held;
    if (free <= 0 || (holder.held >= free && holder.held >= 2 * holder.served())) return false;
    if (holder.content > Math.max(0, WAITING_CONTENT * contentBytes - this.waitingContent)) return false;
    return holder.waiting < Math.max(1, WAITING_PART * concurrency - this.waiting);
  }

  /** How many more it may open now. */
  private most(route: string, holder: SlotHolder): number {
    const free = this.options.concurrency - this.held;
    const part = Math.ceil((free - holder.held) / 2);
    const byShare = Math.max(part, 2 * holder.served() - holder.held);
    const connected = this.capacity(route) + holder.served() - holder.total;
    return this.mayHold(holder) ? Math.max(0, Math.min(free, byShare, connected)) : 0;
  }

  private holderOf(holders: Map<string, SlotHolder>, name: string): SlotHolder {
    const known = holders.get(name);
    if (known) return known;
    const made = new SlotHolder();
    holders.set(name, made);
    return made;
  }

  private domainOf({ routeName, tenantName, to }: Opened): { domain: SlotHolder; own: SlotHolder } {
    const name = `${routeName} ${to.slice(to.lastIndexOf('@') + 1).toLowerCase()}`;
    return {
      domain: this.holderOf(this.domains, name),
      own: this.holderOf(this.domainTenants, `${name} ${tenantName}`),
    };
  }

  private joinDomain(opened: Opened, domain: SlotHolder, own: SlotHolder): void {
    opened.domain = domain;
    opened.domainTenant = own;
    domain.add(opened);
    own.add(opened);
  }

  private roll(now = this.options.clock.monotonic()): void {
    let moved = false;
    for (let next = this.young.first; next && now - next.at >= SLOT_MS; next = this.young.first) {
      this.young.remove(next);
      this.startWaiting(next);
      moved = true;
    }
    if (now - this.windowStart >= SLOT_MS) {
      this.windowStart = now;
      for (const holders of [this.routes, this.tenants, this.domains, this.domainTenants]) {
        for (const [name, holder] of holders) if (holder.rollOver()) holders.delete(name);
      }
    }
    if (moved && this.short) {
      this.short = false;
      this.wake();
    }
  }

  private startWaiting(opened: Opened): void {
    this.held--;
    this.waiting++;
    this.waitingContent += opened.bytes;
    opened.route.startWaiting(opened.bytes);
    opened.tenant?.startWaiting(opened.bytes);
    opened.domain?.startWaiting(opened.bytes);
    opened.domainTenant?.startWaiting(opened.bytes);
    opened.state = 'waiting';
    if (opened.domain || opened.to === '') return;
    const { domain, own } = this.domainOf(opened);
    this.joinDomain(opened, domain, own);
  }
}

export interface SlotShareOptions {
  concurrency: number;
  /** How much content of attempts that hold slots there may be. */
  contentBytes: number;
  clock: Clock;
  /** How many emails of a route can be under way at once; without bound where nobody says. */
  connections(route: string): number;
}

export interface Addressed {
  route: string;
  tenant: string;
  /** The first recipient. */
  to: string;
}

export interface Slot {
  route: string;
  tenant?: string | undefined;
  bytes: number;
}

/** Of a route, for the only tenant it has. */
const ALONE_PART = 7 / 8;
/** Attempts that wait for servers, all together, as a multiple of the slots. */
const WAITING_PART = 4;
/** The same for their content. */
const WAITING_CONTENT = 8;
const SUSPECTS_PART = 0.8;
/** What is claimed before it can be opened, as a part of the slots. */
const AHEAD_PART = 1 / 4;
const IDLE = new SlotHolder();
