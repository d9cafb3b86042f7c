import type { Clock } from '../kernel/index.js';

/**
 * The circuit of one route as one process knows it. Closed lets everything pass and opens after so
 * many route-scoped failures in a row; open lets nothing pass until its time is over, then one probe
 * among all processes; what the probe finds closes it or opens it for longer. It only decides: each
 * transition is returned to be written by a store that refuses those made on an old version.
 */
export interface CircuitPolicy {
  /** This many failures in a row… */
  failures: number;
  /** …within this time open it. */
  withinMs: number;
  openMs: number;
  /** Each opening soon after another is twice as long, up to this. */
  longestOpenMs: number;
  /** After this the probe counts as lost, and another may be made. */
  probeMs: number;
}

export const CIRCUIT_POLICY: CircuitPolicy = {
  failures: 5,
  withinMs: 30_000,
  openMs: 10_000,
  longestOpenMs: 300_000,
  probeMs: 60_000,
};

/** The state all processes share, as read at some moment. */
export interface SharedCircuit {
  state: 'closed' | 'open' | 'probing';
  /** Raised by every transition. */
  version: number;
  /** Until an open circuit may be probed, or a probe counts as lost. */
  remainingMs: number;
  /** Since the last transition. */
  ageMs: number;
  /** Openings with no long good time between them. */
  openings: number;
  reason: string | null;
}

export interface Transition {
  /** The version it was decided on. */
  from: number;
  to: 'open' | 'closed';
  forMs: number;
  openings: number;
  reason: string | null;
}

export type Admission = { kind: 'free' } | { kind: 'probe' } | { kind: 'wait'; ms: number };

/** What an attempt says about its route. */
export type Health = 'good' | 'bad' | 'neutral';

const PROBED_LOOK_MS = 1000;

export class RouteCircuit {
  private state: SharedCircuit['state'] = 'closed';
  private version = -1;
  private until = 0;
  private changedAt: number;
  private openings = 0;
  private reason: string | null = null;
  private failedAt: number[] = [];
  private ramping = false;
  /** A transition is being written: what is read meanwhile is older. */
  private writing = false;

  constructor(
    private readonly clock: Clock,
    /** The circuit closed after having been open: begin small. */
    private readonly onRecovered: () => void,
    private readonly policy: CircuitPolicy = CIRCUIT_POLICY,
  ) {
    this.changedAt = clock.monotonic();
  }

  get seen(): { state: SharedCircuit['state']; version: number; reason: string | null } {
    return { state: this.state, version: this.version, reason: this.reason };
  }

  /** Takes over what the store says, unless that is older than what is known. */
  observe(shared: SharedCircuit): void {
    if (this.writing || shared.version < this.version) return;
    this.adopt(shared);
  }

  /** What the store says after a transition or a probe was asked of it. */
  written(shared: SharedCircuit): void {
    this.writing = false;
    if (shared.version >= this.version) this.adopt(shared);
  }

  /** The store could not be reached: what it says next counts. */
  unwritten(): void {
    this.writing = false;
  }

  admission(): Admission {
    const left = this.until - this.clock.monotonic();
    switch (this.state) {
      case 'closed':
        return { kind: 'free' };
      case 'open':
        return left > 0 ? { kind: 'wait', ms: left } : { kind: 'probe' };
      case 'probing':
        return left > 0 ? { kind: 'wait', ms: Math.min(left, PROBED_LOOK_MS) } : { kind: 'probe' };
    }
  }

  /** The limit is back to normal: single failures are forgiven again. */
  ramped(): void {
    this.ramping = false;
  }

  /** Counts one attempt that was let pass; returns what is to be written, if anything. */
  report(health: Health, reason: string | null = null): Transition | null {
    if (this.state !== 'closed' || health === 'neutral') return null;
    if (health === 'good') {
      this.failedAt = [];
      return null;
    }
    const now = this.clock.monotonic();
    this.failedAt = [...this.failedAt.filter((at) => now - at < this.policy.withinMs), now];
    if (!this.ramping && this.failedAt.length < this.policy.failures) return null;
    const soon = this.openings > 0 && now - this.changedAt < this.policy.longestOpenMs;
    return this.open(soon ? this.openings + 1 : 1, reason);
  }

  /** What the one probe found. Neutral: the next may be made at once. */
  reportProbe(health: Health, reason: string | null = null): Transition {
    if (health === 'good') return this.decide('closed', 0, this.openings, null);
    if (health === 'neutral') return this.decide('open', 0, this.openings, this.reason);
    return this.open(this.openings + 1, reason);
  }

  /** Opens it for a known time, as for a spent quota, without making later openings longer. */
  hold(forMs: number, reason: string): Transition | null {
    const left = this.state === 'open' ? this.until - this.clock.monotonic() : 0;
    return left >= forMs ? null : this.decide('open', forMs, this.openings, reason);
  }

  private open(openings: number, reason: string | null): Transition {
    const forMs = Math.min(this.policy.openMs * 2 ** (openings - 1), this.policy.longestOpenMs);
    return this.decide('open', forMs, openings, reason);
  }

  /** In this process it holds at once; for the others once it is written. */
  private decide(to: Transition['to'], forMs: number, openings: number, reason: string | null): Transition {
    const from = this.version;
    this.adopt({ state: to, version: from, remainingMs: forMs, ageMs: 0, openings, reason });
    this.writing = true;
    return { from, to, forMs, openings, reason };
  }

  private adopt(shared: SharedCircuit): void {
    const now = this.clock.monotonic();
    const recovered = shared.state === 'closed' && this.state !== 'closed';
    if (shared.state !== 'closed') this.ramping = false;
    this.state = shared.state;
    this.version = shared.version;
    this.until = now + shared.remainingMs;
    this.changedAt = now - shared.ageMs;
    this.openings = shared.openings;
    this.reason = shared.reason;
    if (!recovered) return;
    this.failedAt = [];
    this.ramping = true;
    this.onRecovered();
  }
}
