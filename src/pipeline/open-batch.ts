import { messageOf, Turns } from '../kernel/index.js';
import type { Claim, OpenOptions } from '../outbox/index.js';
import type { RouteBoard } from '../providers/index.js';
import { type AttemptTools, attemptEmail } from './attempt-email.js';
import { type FetchTools, openClaimed } from './open-claimed.js';
import type { Opened } from './slot-holder.js';

/** Fetches the content of claims, and what has to be known about them, and begins their attempts. */
export interface OpenTools extends AttemptTools, FetchTools {
  /** Cap on attempts of emails that did not come through intake; null: what each says. */
  maxAttempts: number | null;
  /** The attempt is over and its result written, or the claim was not to be opened. */
  onGone(claim: { id: string }): void;
  /** What became of it is not known to the database. */
  onFault(): void;
  /** Claims could not be opened: they are another's by now, or a caller's open transaction has them. */
  onPassedOver(): void;
}

export interface ReceivedClaim extends Claim {
  receivedAt: number;
  /** What it has of the worker's shares since it was taken to be opened. */
  slot: Opened | null;
}

/** Written out in full: copying an object and adding to it costs V8 a new shape. */
export function received(claims: readonly Claim[], receivedAt: number): ReceivedClaim[] {
  return claims.map(({ id, token, bytes, route, tenant, atMostOnce, groupLimit }) => ({
    id,
    token,
    bytes,
    route,
    tenant,
    atMostOnce,
    groupLimit,
    begins: false,
    receivedAt,
    slot: null,
  }));
}

/** Returns when all attempts have been begun; they go on by themselves. */
export async function openBatch(
  batch: readonly ReceivedClaim[],
  tools: OpenTools,
  how: OpenOptions = {},
): Promise<void> {
  const started = new Set<string>();
  markServedAtOnce(batch, tools.routes);
  try {
    const opened = await openClaimed(batch, how, tools);
    const pauses = await tools.ledger.pauses();
    const receivedAt = new Map(batch.map((claim) => [claim.id, claim.receivedAt]));
    const turns = new Turns();
    for (const { email, recipientMissing, suppressed } of opened) {
      const most = email.earlierAttempts + (tools.maxAttempts ?? email.maxAttempts);
      email.maxAttempts = Math.min(email.maxAttempts, most);
      const known = {
        pauses,
        recipientMissing,
        suppressed,
        receivedAt: receivedAt.get(email.id) ?? 0,
      };
      started.add(email.id);
      attemptEmail(email, known, tools)
        .catch((error: unknown) => {
          tools.onFault();
          tools.logger.error({ outboxId: email.id, err: messageOf(error) }, 'attempt could not be recorded');
        })
        .finally(() => tools.onGone(email));
      // Megabytes of content one after the other would keep answers of servers waiting, and the lease's beat.
      const turn = turns.after(email.bytes);
      if (turn !== undefined) await turn;
    }
  } finally {
    // Claims that were cancelled or taken over since, or all of them when the database failed: what was
    // not started is not held, and so is given back as a stray.
    if (started.size < batch.length) tools.onPassedOver();
    for (const claim of batch) if (!started.has(claim.id)) tools.onGone(claim);
  }
}

/**
 * Those that find a connection as soon as they are opened need no second statement that marks them as begun. Not one that
 * must not repeat, nor a suspect: after a crash the mark costs the one its sending and the other its place in a group.
 */
function markServedAtOnce(batch: readonly ReceivedClaim[], routes: Pick<RouteBoard, 'servedAtOnce'>): void {
  const left = new Map<string, number>();
  for (const claim of batch) {
    if (claim.atMostOnce || claim.groupLimit !== undefined) continue;
    const places = left.get(claim.route) ?? routes.servedAtOnce(claim.route);
    claim.begins = places > 0;
    left.set(claim.route, places - 1);
  }
}
