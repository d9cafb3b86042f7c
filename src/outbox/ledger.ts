import type { Database } from '../store/index.js';
import type { Claim } from './claim-batch.js';
import { type OpenedEmail, type OpenOptions, openClaims } from './open-claims.js';
import { type Pauses, pauseSending } from './pauses.js';
import {
  type ClaimRef,
  endClaims,
  type Hold,
  parkClaims,
  releaseClaims,
  releaseStrays,
} from './release-claims.js';
import { findSettled, type Settlement, settleAttempts } from './settle-attempts.js';

/** What a worker may do to the ledger, bound to its store and its number. */
export interface Ledger {
  open(claims: readonly Claim[], options?: OpenOptions): Promise<OpenedEmail[]>;
  settle(settlements: readonly Settlement[]): Promise<Set<string>>;
  findSettled(settlements: readonly Settlement[]): Promise<Set<string>>;
  release(claims: readonly ClaimRef[], options: { why: string; delayMs?: number }): Promise<number>;
  park(claims: readonly ClaimRef[], hold: Hold): Promise<number>;
  expire(claims: readonly ClaimRef[]): Promise<number>;
  suppress(claims: readonly ClaimRef[], detail: object): Promise<number>;
  /** Gives back rows this worker owns but does not hold: the answer to a statement was lost. */
  releaseStrays(held: readonly string[]): Promise<number>;
  pauses(): Promise<Pauses>;
  pauseRoute(route: string, reason: string): Promise<void>;
}

export function createLedger(
  database: Database,
  options: { worker: () => number; pauses: () => Promise<Pauses> },
): Ledger {
  const { worker } = options;
  return {
    open: (claims, options) => openClaims(database, worker(), claims, options),
    settle: (settlements) => settleAttempts(database, worker(), settlements),
    findSettled: (settlements) => findSettled(database, settlements),
    release: (claims, options) => releaseClaims(database, worker(), claims, options),
    park: (claims, hold) => parkClaims(database, worker(), claims, hold),
    expire: (claims) =>
      endClaims(database, worker(), claims, { type: 'EXPIRED', status: 'expired', detail: {} }),
    suppress: (claims, detail) =>
      endClaims(database, worker(), claims, { type: 'SUPPRESSED', status: 'suppressed', detail }),
    releaseStrays: (held) => releaseStrays(database, worker(), held),
    pauses: options.pauses,
    pauseRoute: (route, reason) => pauseSending(database, 'route', route, { reason, by: 'worker' }),
  };
}
