/**
 * What can happen to an email, as data: which event is legal in which status and where it leads.
 * docs/STATES.md is generated from this, the ledger checker replays histories against it.
 */
export const EMAIL_STATUSES = [
  'scheduled',
  'pending',
  'processing',
  'sent',
  'retry',
  'failed',
  'cancelled',
  'suppressed',
  'expired',
  'unknown',
] as const;

export type EmailStatus = (typeof EMAIL_STATUSES)[number];

export type EventType = keyof typeof TRANSITIONS;

interface Transition {
  /** Statuses in which the event may happen; `null` is an email that does not exist yet. */
  from: ReadonlyArray<EmailStatus | null>;
  /** Where it leads; `same` leaves the status as it is. */
  to: ReadonlyArray<EmailStatus | 'same'>;
  says: string;
}

const WAITING = ['scheduled', 'pending', 'retry'] as const;
const ANY_END = ['sent', 'failed', 'cancelled', 'suppressed', 'expired', 'unknown'] as const;

export const TRANSITIONS = {
  ENQUEUED: { from: [null], to: ['pending', 'scheduled'], says: 'accepted, in the caller’s transaction' },
  RECEIVED: { from: WAITING, to: ['processing'], says: 'a worker has taken it; the attempt counts' },
  VALIDATED: { from: ['processing'], to: ['same'], says: 'INTEGRITY, OUTBOX, RECIPIENT and TEMPLATE passed' },
  VALIDATION_FAILED: {
    from: ['processing'],
    to: ['same'],
    says: 'one of the four did not pass; FAILED follows',
  },
  SENT_ATTEMPT: { from: ['processing'], to: ['same'], says: 'handed to the provider' },
  SENT: { from: ['processing'], to: ['sent'], says: 'the provider has taken responsibility' },
  RETRY_SCHEDULED: {
    from: ['processing', 'unknown'],
    to: ['retry'],
    says: 'not delivered for now; waits for its next attempt',
  },
  FAILED: { from: ['processing', 'unknown'], to: ['failed'], says: 'will not be tried again' },
  OUTCOME_UNKNOWN: {
    from: ['processing'],
    to: ['unknown'],
    says: 'may have been delivered; the answer was lost',
  },
  RELEASED: {
    from: WAITING,
    to: ['same'],
    says: 'given back or taken over without having begun; costs nothing',
  },
  RESCHEDULED: { from: WAITING, to: ['scheduled'], says: 'another time was asked for' },
  CANCELLED: { from: WAITING, to: ['cancelled'], says: 'taken back before its attempt began' },
  SUPPRESSED: { from: WAITING, to: ['suppressed'], says: 'the address must not be written to' },
  EXPIRED: { from: WAITING, to: ['expired'], says: 'its time had passed before it could be sent' },
  REQUEUED: {
    from: ['failed', 'unknown'],
    to: ['retry'],
    says: 'a person asked for another round of attempts',
  },
  DISCARDED: { from: ['failed', 'unknown'], to: ['same'], says: 'a person took it off the dead letters' },
  DELIVERED: { from: ANY_END, to: ['same'], says: 'the provider reports delivery' },
  DELAYED: { from: ANY_END, to: ['same'], says: 'the provider reports a delay' },
  BOUNCED: { from: ANY_END, to: ['same'], says: 'the provider reports a bounce' },
  COMPLAINED: { from: ANY_END, to: ['same'], says: 'the recipient marked it as spam' },
  OPENED: { from: ANY_END, to: ['same'], says: 'the recipient opened it' },
  CLICKED: { from: ANY_END, to: ['same'], says: 'the recipient followed a link' },
  UNSUBSCRIBED: { from: ANY_END, to: ['same'], says: 'the recipient unsubscribed' },
} as const satisfies Record<string, Transition>;

/** Replays a history; returns the first event that was not legal, or null. */
export function findIllegalEvent(events: readonly EventType[]): { index: number; event: EventType } | null {
  let possible = new Set<EmailStatus | null>([null]);
  for (const [index, event] of events.entries()) {
    const { from, to }: Transition = TRANSITIONS[event];
    const next = new Set<EmailStatus | null>();
    for (const status of possible) {
      if (!from.includes(status)) continue;
      for (const target of to) next.add(target === 'same' ? status : target);
    }
    if (next.size === 0) return { index, event };
    possible = next;
  }
  return null;
}
