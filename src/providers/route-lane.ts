import { type Clock, type Logger, messageOf } from '../kernel/index.js';
import { closedUntil, healthOf, isCrowded } from './judge-route.js';
import type { Outcome } from './provider.js';
import { RateLease, type RateStore } from './rate-lease.js';
import type { Route } from './route.js';
import { CIRCUIT_POLICY, RouteCircuit, type SharedCircuit, type Transition } from './route-circuit.js';
import { RouteConcurrency } from './route-concurrency.js';

/**
 * One route in this process: its circuit, its concurrency and its rates. Says how many emails may be
 * claimed for it, lets each one in or tells how long to wait, and learns from what became of it.
 */
export interface LaneTools {
  circuits: CircuitStore;
  rates: RateStore;
  clock: Clock;
  logger: Logger;
  /** Emails the whole worker has in flight at most. */
  concurrency: number;
  wake(): void;
}

/** Where processes share their circuits. A change made on an old version changes nothing. */
export interface CircuitStore {
  read(): Promise<Map<string, SharedCircuit>>;
  /** Returns what holds afterwards, whoever wrote it. */
  change(route: string, transition: Transition): Promise<SharedCircuit>;
  takeProbe(
    route: string,
    version: number,
    forMs: number,
  ): Promise<{ granted: boolean; circuit: SharedCircuit }>;
}

export type Entry = { kind: 'pass'; probe: boolean } | Refusal;

/** `circuit`: another route may be tried. `rate` and `busy`: this one is right, only not yet. */
export interface Refusal {
  kind: 'circuit' | 'rate' | 'busy';
  ms: number;
}

export class RouteLane {
  readonly circuit: RouteCircuit;
  readonly slots: RouteConcurrency;
  private rate: RateLease | null;
  private readonly domains: ReadonlyMap<string, RateLease>;
  private readonly bounded: boolean;
  private probeExpectedUntil = 0;
  /** A claim was cut short for want of room. */
  private starved = false;
  private readonly writes = new Set<Promise<void>>();

  constructor(
    readonly route: Route,
    private readonly tools: LaneTools,
  ) {
    const { clock } = tools;
    const normal = Math.min(route.maxConcurrency ?? tools.concurrency, tools.concurrency);
    this.bounded = normal < tools.concurrency;
    this.circuit = new RouteCircuit(clock, () => this.slots.ramp());
    this.slots = new RouteConcurrency(normal, clock, {
      room: () => this.roomCame(),
      ramped: () => this.circuit.ramped(),
    });
    this.rate = route.ratePerSecond === undefined ? null : this.lease('', route.ratePerSecond);
    this.domains = new Map(
      Object.entries(route.domainRates ?? {}).map(([domain, rate]) => [
        domain.toLowerCase(),
        this.lease(domain.toLowerCase(), rate),
      ]),
    );
  }

  get ratePerSecond(): number | null {
    return this.rate?.ratePerSecond ?? null;
  }

  /** The provider's own limit, where none is configured. */
  limitRate(perSecond: number): void {
    if (this.route.ratePerSecond !== undefined) return;
    if (this.rate) this.rate.ratePerSecond = perSecond;
    else this.rate = this.lease('', perSecond);
  }

  /** How many may be claimed, and when to ask again if that is not all. */
  async room(limit: number): Promise<{ count: number; againMs: number }> {
    const admission = this.circuit.admission();
    if (admission.kind === 'wait') return { count: 0, againMs: admission.ms };
    if (admission.kind === 'probe') {
      const expected = this.probeExpectedUntil - this.tools.clock.monotonic();
      return expected > 0
        ? { count: 0, againMs: expected }
        : { count: Math.min(1, limit), againMs: PROBE_MS };
    }
    const free = Math.min(limit, this.slots.room(this.bounded));
    this.starved = free < limit;
    if (!this.rate || free === 0) return { count: free, againMs: Number.POSITIVE_INFINITY };
    const count = await this.rate.room(free);
    return { count, againMs: count < limit ? this.rate.againMs() : Number.POSITIVE_INFINITY };
  }

  took(count: number): void {
    if (this.circuit.admission().kind === 'probe') {
      this.probeExpectedUntil = this.tools.clock.monotonic() + PROBE_MS;
    }
    this.slots.expect(count);
    this.rate?.reserve(count);
  }

  /** How many emails that come now would be let in and served by the provider at once. */
  servedAtOnce(): number {
    if (!this.lets()) return 0;
    const { provider } = this.route;
    return Math.min(this.slots.free, provider.callsBegin ? (provider.servedAtOnce ?? 0) : this.slots.free);
  }

  /** At once where nothing is limited and there is room, as for nearly every email. */
  enter(email: Entering): Entry | Promise<Entry> {
    if (this.lets() && this.slots.tryEnter()) return PASS;
    return this.waitToEnter(email);
  }

  /** Nothing but its concurrency is limited. */
  private lets(): boolean {
    return this.rate === null && this.domains.size === 0 && this.circuit.admission().kind === 'free';
  }

  private async waitToEnter(email: Entering): Promise<Entry> {
    const first = this.circuit.admission();
    if (first.kind === 'wait') return { kind: 'circuit', ms: first.ms };
    if (first.kind === 'probe') return this.probe();
    for (const lease of [...this.domainsOf(email.recipients), ...(this.rate ? [this.rate] : [])]) {
      if (await this.take(lease)) continue;
      return { kind: 'rate', ms: email.urgent ? lease.againMs() : lease.slotMs() };
    }
    if (!(await this.slots.enter({ maxWaitMs: LONGEST_WAIT_MS, signal: email.signal }))) {
      return { kind: 'busy', ms: BUSY_MS };
    }
    // It may have opened while this email waited its turn.
    const admission = this.circuit.admission();
    if (admission.kind === 'free') return PASS;
    this.slots.leave();
    return { kind: 'circuit', ms: admission.kind === 'wait' ? admission.ms : BUSY_MS };
  }

  leave(pass: { probe: boolean }, outcome: Outcome): void {
    const health = healthOf(outcome);
    const reason = outcome.kind === 'sent' ? null : outcome.code;
    if (isCrowded(outcome)) this.slots.crowded();
    const until = closedUntil(outcome);
    const forMs = until === null ? 0 : Math.min(until - this.tools.clock.now(), LONGEST_HOLD_MS);
    if (forMs > 0) this.write(this.circuit.hold(forMs, reason ?? 'closed by its server'));
    else if (pass.probe) this.write(this.circuit.reportProbe(health, reason));
    else {
      if (health === 'good') this.slots.succeeded();
      this.write(this.circuit.report(health, reason));
    }
    if (!pass.probe) this.slots.leave();
  }

  hold(forMs: number, reason: string): void {
    this.write(this.circuit.hold(forMs, reason));
  }

  /** Returns when every transition has been written or given up. */
  async drain(): Promise<void> {
    await Promise.all(this.writes);
  }

  private async probe(): Promise<Entry> {
    const { circuits } = this.tools;
    const { version } = this.circuit.seen;
    const { granted, circuit } = await circuits.takeProbe(this.route.name, version, CIRCUIT_POLICY.probeMs);
    this.circuit.observe(circuit);
    if (granted) return { kind: 'pass', probe: true };
    return { kind: 'circuit', ms: Math.max(circuit.remainingMs, BUSY_MS) };
  }

  private write(transition: Transition | null): void {
    if (!transition) return;
    const { circuits, logger, wake } = this.tools;
    const { name } = this.route;
    logger.warn(
      { route: name, circuit: transition.to, why: transition.reason, forMs: transition.forMs },
      'circuit',
    );
    const write = circuits
      .change(name, transition)
      .then((shared) => this.circuit.written(shared))
      .catch((error: unknown) => {
        this.circuit.unwritten();
        logger.warn({ route: name, err: messageOf(error) }, 'circuit could not be written');
      })
      .finally(() => {
        this.writes.delete(write);
        wake();
      });
    this.writes.add(write);
  }

  private async take(lease: RateLease): Promise<boolean> {
    try {
      return await lease.take();
    } catch (error) {
      this.tools.logger.warn(
        { route: this.route.name, err: messageOf(error) },
        'rate could not be asked for',
      );
      return false;
    }
  }

  private domainsOf(recipients: readonly string[]): Set<RateLease> {
    const leases = new Set<RateLease>();
    if (this.domains.size === 0) return leases;
    for (const address of recipients) {
      const lease = this.domains.get(address.slice(address.lastIndexOf('@') + 1).toLowerCase());
      if (lease) leases.add(lease);
    }
    return leases;
  }

  private roomCame(): void {
    if (!this.starved) return;
    this.starved = false;
    this.tools.wake();
  }

  private lease(domain: string, ratePerSecond: number): RateLease {
    return new RateLease(
      { route: this.route.name, domain, ratePerSecond },
      this.tools.rates,
      this.tools.clock,
    );
  }
}

const PASS: Entry = { kind: 'pass', probe: false };

interface Entering {
  recipients: readonly string[];
  urgent: boolean;
  signal: AbortSignal;
}

const PROBE_MS = 2000;
const BUSY_MS = 250;
const LONGEST_WAIT_MS = 10_000;
const LONGEST_HOLD_MS = 86_400_000;
