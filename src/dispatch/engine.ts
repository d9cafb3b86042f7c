import type { Lifecycle } from '../kernel/index.js';
import type { Claim, GivenUp, Settlement } from '../outbox/index.js';

/** What an engine asks before it claims: which routes there are, and how many emails each may take now. */
export interface RouteGate {
  names(): Promise<readonly string[]>;
  /** 0 while nothing of this route could be sent. */
  room(route: string, limit: number, paused: ReadonlySet<string>): Promise<number>;
  /** Tenants of which nothing more could be opened now. */
  fullTenants?(route: string): readonly string[];
  /** So many were claimed. */
  took(route: string, count: number): void;
  /** Called when there may be room again. */
  onRoom(fn: () => void): void;
}

export type EngineName = 'postgres' | 'rabbitmq' | 'bullmq';

/** Whether an engine can do its work now, and if not, why. */
export interface EngineState {
  name: EngineName;
  up: boolean;
  message: string;
}

/**
 * The port of a queue engine: it says when there is work and hands out claims. Truth stays in the
 * ledger, so an engine may forget, repeat or reorder; it must never invent a claim.
 */
export interface Engine extends Lifecycle {
  readonly name: EngineName;
  /** Up to `limit` claims, owned by this worker; none when there is nothing to do now. */
  claim(limit: number): Promise<Claim[]>;
  /** Emails a worker had opened when it died, as many as may be attempted together with those beside them. */
  claimSuspects(limit: number, beside?: number): Promise<Claim[]>;
  /** Called whenever claiming may succeed again. Several calls may be folded into one. */
  onWork(fn: () => void): void;
  /** Something was committed: by this process, or heard from the database. */
  ring(): void;
  /** Something was committed, and another worker was woken for it: looks in a few milliseconds whether it is left. */
  ringLater(): void;
  /** Whether other workers should be woken first. */
  isBusy(): boolean;
  /** The first half of stopping: nothing more is handed out; what was may still be settled. */
  quiesce(): Promise<void>;
  /** Whether it spends this email's wait for a retry itself, and rings when it is over. */
  spendsWait(id: string, waitMs: number): boolean;
  /** These results are in the ledger. */
  settled(settlements: readonly Settlement[]): void;
  /** These emails ended in the ledger, and not by an attempt of this worker. */
  gaveUp(emails: readonly GivenUp[]): void;
  /** These claims ended without an attempt, or belong to someone else by now. */
  letGo(ids: readonly string[]): void;
  /** Of its claims only these are still at work. */
  keepOnly(ids: readonly string[]): void;
  state(): EngineState;
}

/** What is counted about an engine. */
export interface EngineMetrics {
  engineUp(engine: EngineName, up: boolean): void;
  bells(what: 'published' | 'consumed' | 'dropped' | 'refused', count: number): void;
  bellsOutstanding(count: number): void;
}
