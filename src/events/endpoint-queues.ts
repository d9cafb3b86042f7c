import type { DueDelivery, EndpointShare } from './claim-deliveries.js';

export interface ClaimedDelivery extends DueDelivery {
  /** By the monotonic clock of this process. */
  leaseEndsAt: number;
  secrets(): Promise<string[]>;
}

/**
 * What this process has claimed of each endpoint and not settled yet. More is claimed than is requested at once, as
 * many as the endpoint answers in half a second, so that one claim and one settling serve many requests.
 */
export class EndpointQueues {
  private readonly queues = new Map<string, EndpointQueue>();
  private held = 0;

  /** `concurrency`: requests to one endpoint at once. */
  constructor(private readonly concurrency: number) {}

  get count(): number {
    return this.held;
  }

  /** How many each tenant has here. */
  byTenant(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const { tenant, held } of this.queues.values())
      if (held > 0) counts.set(tenant, (counts.get(tenant) ?? 0) + held);
    return counts;
  }

  /** What a claim may take of the endpoints that are known here. */
  shares(): EndpointShare[] {
    return [...this.queues].map(([endpointId, queue]) => ({
      endpointId,
      held: queue.held,
      room: Math.max(0, this.reserveOf(queue) - queue.held),
    }));
  }

  /** `complete`: nothing that is due was left because places ran out. */
  add(deliveries: readonly ClaimedDelivery[], complete: boolean): void {
    if (complete) for (const queue of this.queues.values()) queue.more = false;
    for (const delivery of deliveries) {
      const queue = this.queueOf(delivery);
      queue.waiting.push(delivery);
      queue.held++;
      queue.filled = queue.held;
      queue.more = true;
      this.held++;
    }
  }

  /** The next of this endpoint that may be requested now. */
  next(endpointId: string): ClaimedDelivery | undefined {
    const queue = this.queues.get(endpointId);
    if (!queue || queue.requested >= this.concurrency) return undefined;
    const delivery = queue.waiting.shift();
    if (delivery) queue.requested++;
    return delivery;
  }

  answered({ endpointId }: DueDelivery, durationMs: number): void {
    const queue = this.queues.get(endpointId)!;
    queue.requested--;
    queue.averageMs = queue.averageMs === null ? durationMs : queue.averageMs * 0.8 + durationMs * 0.2;
  }

  /** Settled, given back or given up. */
  remove({ endpointId }: DueDelivery): void {
    this.queues.get(endpointId)!.held--;
    this.held--;
    if (this.queues.size <= MOST_KNOWN) return;
    for (const [id, { held }] of this.queues) if (held === 0) this.queues.delete(id);
  }

  /** Removes what was claimed and not requested yet. */
  takeWaiting(): ClaimedDelivery[] {
    const taken = [...this.queues.values()].flatMap(({ waiting }) => waiting.splice(0));
    for (const delivery of taken) this.remove(delivery);
    return taken;
  }

  /** Whether an endpoint of which more may be due has used up half of what was claimed. */
  isLow(): boolean {
    for (const { more, held, filled } of this.queues.values()) if (more && held <= filled / 2) return true;
    return false;
  }

  private queueOf({ endpointId, tenant }: DueDelivery): EndpointQueue {
    const known = this.queues.get(endpointId);
    if (known) return known;
    const made: EndpointQueue = {
      tenant,
      waiting: [],
      requested: 0,
      held: 0,
      filled: 0,
      more: false,
      averageMs: null,
    };
    this.queues.set(endpointId, made);
    return made;
  }

  private reserveOf({ averageMs }: EndpointQueue): number {
    if (averageMs === null) return this.concurrency;
    const answered = Math.floor((this.concurrency * RESERVE_MS) / Math.max(1, averageMs));
    return Math.max(this.concurrency, Math.min(MOST_RESERVED, answered));
  }
}

interface EndpointQueue {
  tenant: string;
  waiting: ClaimedDelivery[];
  requested: number;
  held: number;
  /** How many were held after the last claim. */
  filled: number;
  /** The last claim found some, or could not tell. */
  more: boolean;
  /** Of its answers; null before the first. */
  averageMs: number | null;
}

const RESERVE_MS = 500;
const MOST_RESERVED = 100;
/** Endpoints whose pace is remembered. */
const MOST_KNOWN = 1000;
