import type { StopOptions } from '../kernel/index.js';
import type { BellRef, GivenUp, JobData, RungEmail, Settlement } from '../outbox/index.js';
import type { EngineState } from './engine.js';

/**
 * The port of a broker that carries bells: small messages that say "this email is ready". It may lose,
 * repeat, delay and reorder them. It knows nothing of the ledger; the bell engine does the rest.
 */
export interface BellBroker<Bell extends HeardBell = HeardBell> {
  readonly name: 'rabbitmq' | 'bullmq';
  /** Whether its messages say more of an email than its row does. */
  readonly wantsData: boolean;
  /**
   * Begins to connect, declare and consume, and goes on by itself whenever the broker was away. Rejects with a
   * PostriderError only for what a person must put right; a broker that is away at the start is no such thing.
   */
  start(listener: BrokerListener<Bell>): Promise<void>;
  /** Hears no more; what was heard can still be ended. */
  quiesce(): Promise<void>;
  stop(options?: StopOptions): Promise<void>;
  /** Resolves when the broker has confirmed all of them; rejects, within seconds, when it has not. */
  publish(bells: readonly OutgoingBell[]): Promise<void>;
  spendsWait(waitMs: number): boolean;
  /**
   * First the waits it spends itself are confirmed, then everything is acknowledged. Rejects when a wait did not
   * get out; what could not be acknowledged comes again and matches nothing.
   */
  ended(ends: readonly BellEnd<Bell>[]): Promise<void>;
  /** These ended in the ledger, without a bell. */
  gaveUp(emails: readonly GivenUp[]): void;
  state(): EngineState;
}

export interface BrokerListener<Bell extends HeardBell> {
  onBell(bell: Bell): void;
  /** Called when the state has changed. */
  onState(state: EngineState): void;
  /**
   * The broker has no bell that waits to be heard, because it is new, was emptied or has handed all of them out;
   * with `waits` none that spends a wait either.
   */
  onNothingOut(also: { waits: boolean }): void;
  /** A message was refused because it is no bell of an email; the broker has logged which and why. */
  onRefused(): void;
}

/** A bell that was heard and not acknowledged yet; a broker adds what it needs to do so. */
export type HeardBell = BellRef;

export interface OutgoingBell extends RungEmail {
  /** Where the broker wants data. */
  data: JobData | null;
}

/** What became of a bell that was heard. */
export interface BellEnd<Bell extends HeardBell = HeardBell> {
  /** null: claimed without one, as suspects are. */
  bell: Bell | null;
  /**
   * What is in the ledger about its attempt; with `rings` its wait is the broker's, to come back with the
   * settlement's token. null: nothing was attempted.
   */
  settlement: Settlement | null;
  /** It names an email that its tenant does not have. */
  unknown?: boolean;
}
