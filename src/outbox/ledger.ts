import type { Database } from '../store/index.js';
import { beginClaims, endAlone } from './begin-claims.js';
import type { Claim } from './claim-batch.js';
import { asExpired, type GivenUp } from './given-up.js';
import { type OpenedEmail, type OpenOptions, openClaims, openStatement } from './open-claims.js';
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
  /** Returns those that may be sent. */
  begin(claims: readonly ClaimRef[], how: Pick<Claim, 'atMostOnce'>): Promise<Set<string>>;
  endAlone(claim: ClaimRef): Promise<void>;
  settle(settlements: readonly Settlement[]): Promise<Set<string>>;
  findSettled(settlements: readonly Settlement[]): Promise<Set<string>>;
  release(claims: readonly ClaimRef[], options: { why: string | null; delayMs?: number }): Promise<number>;
  park(claims: readonly ClaimRef[], hold: Hold): Promise<number>;
  /** Instead of the attempts they were claimed for; returns those it ended. */
  expire(claims: ReadonlyArray<ClaimRef & { attempt: number }>): Promise<GivenUp[]>;
  suppress(claims: readonly ClaimRef[], detail: object): Promise<number>;
  /** Gives back rows this worker owns but does not hold: the answer to a statement was lost. */
  releaseStrays(held: readonly string[]): Promise<number>;
  pauses(): Promise<Pauses>;
  pauseRoute(route: string, reason: string): Promise<void>;
}

export function createLedger(
  database: Database,
  options: {
    worker: () => number;
    pauses: () => Promise<Pauses>;
    /** SQL that tells whether anyone is suppressed; without it `anySuppressed` is true of every email. */
    anySuppressed?: string;
  },
): Ledger {
  const { worker, anySuppressed } = options;
  const asked = anySuppressed === undefined ? {} : { statement: openStatement(anySuppressed) };
  return {
    open: (claims, options) => openClaims(database, worker(), claims, { ...options, ...asked }),
    begin: (claims, how) => beginClaims(database, worker(), claims, how),
    endAlone: (claim) => endAlone(database, worker(), claim),
    settle: (settlements) => settleAttempts(database, worker(), settlements),
    findSettled: (settlements) => findSettled(database, settlements),
    release: (claims, options) => releaseClaims(database, worker(), claims, options),
    park: (claims, hold) => parkClaims(database, worker(), claims, hold),
    async expire(claims) {
      const end = { type: 'EXPIRED', status: 'expired', detail: {} } as const;
      const ended = new Set(await endClaims(database, worker(), claims, end));
      return claims
        .filter(({ id }) => ended.has(id))
        .map((claim) => asExpired({ ...claim, attempt: claim.attempt - 1 }));
    },
    async suppress(claims, detail) {
      const end = { type: 'SUPPRESSED', status: 'suppressed', detail } as const;
      return (await endClaims(database, worker(), claims, end)).length;
    },
    releaseStrays: (held) => releaseStrays(database, worker(), held),
    pauses: options.pauses,
    pauseRoute: (route, reason) => pauseSending(database, 'route', route, { reason, by: 'worker' }),
  };
}
