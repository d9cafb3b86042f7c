import { isTracing, killPoint, type Mailbox, type Randomness, toStorableText } from '../kernel/index.js';
import { type Hold, type Ledger, type OpenedEmail, type Pauses, recipientsOf } from '../outbox/index.js';
import { type Delivered, deliverByRoute, type RouteBoard } from '../providers/index.js';
import { AttemptTrail, type TrailTools } from './attempt-trail.js';
import type { BeginMarks } from './begin-marks.js';
import { leaveOutSuppressed, type Suppressed, suppressionDetail } from './leave-out-suppressed.js';
import { outgoingEmail } from './outgoing-email.js';
import { redirectEmail } from './redirect-email.js';
import { mayRepeat, settleOutcome, type Verdict } from './settle-outcome.js';
import { traceAttempt } from './trace-attempt.js';
import { type ValidationFailure, validateEmail } from './validate-email.js';

/**
 * One email, from opened to settled: late policy, the four validations, the provider, the result.
 * It never throws for what a provider or an email may do.
 */
export interface AttemptTools extends TrailTools {
  ledger: Ledger;
  routes: RouteBoard;
  /** For emails that name none; null: they cannot be sent. */
  sender: Mailbox | null;
  /** Where the store is; null: nowhere in particular. */
  region: string | null;
  staging: Staging;
  marks: BeginMarks;
  /** It has a connection, and nothing of it is prepared any more. */
  onBegun(email: OpenedEmail): void;
  /** It is prepared, and nothing but a connection is missing. */
  onWaiting(email: OpenedEmail): void;
  /** How long it has to wait because of the domain of its recipient; null: not at all. */
  domainWaitMs?(email: OpenedEmail): number | null;
  mayDeliver(): boolean;
  signal: AbortSignal;
  sendTimeoutMs: number;
  random: Randomness;
}

/** What keeps a staging system from writing to people. */
export interface Staging {
  /** Every email goes there instead. */
  redirectAllTo: string | null;
  /** Only recipients of these domains are written to. */
  allowedDomains: readonly string[] | null;
}

export interface KnownBefore {
  recipientMissing: boolean;
  suppressed: readonly Suppressed[];
  pauses: Pauses;
  receivedAt: number;
}

export function attemptEmail(email: OpenedEmail, known: KnownBefore, tools: AttemptTools): Promise<void> {
  const trail = new AttemptTrail(email, known.receivedAt, tools);
  if (!isTracing()) return attempt(email, known, trail, tools);
  return traceAttempt(email, trail, () => attempt(email, known, trail, tools));
}

async function attempt(
  email: OpenedEmail,
  known: KnownBefore,
  trail: AttemptTrail,
  tools: AttemptTools,
): Promise<void> {
  if (email.expired) {
    await tools.ledger.expire([email]);
    return trail.end('EXPIRED', 'expired');
  }
  const pause = pauseOf(email, known.pauses);
  if (pause) {
    await tools.ledger.park([email], pause);
    return;
  }
  const waitMs = tools.domainWaitMs?.(email) ?? null;
  if (waitMs !== null) {
    // Others wait, and the domain of its recipient has its share of the worker. It may come to that again and again, so
    // nothing of it stays in the journal.
    await tools.ledger.release([email], { why: null, delayMs: waitMs });
    return;
  }
  if (known.suppressed.length > 0 && leaveOutSuppressed(email, known.suppressed) === 'nobody-left') {
    await tools.ledger.suppress([email], suppressionDetail(known.suppressed));
    return trail.end('SUPPRESSED', 'suppressed');
  }
  const sender = email.message.from ?? tools.sender;
  if (!sender && email.found && email.unreadable === null) {
    // A forgotten setting must not burn what waits: the route stops, the email stays.
    const why = 'there is no sender: set SMTP_FROM_EMAIL';
    tools.logger.error({ route: email.route, why }, 'route paused: its account or settings are wrong');
    await tools.ledger.pauseRoute(email.route, why);
    await tools.ledger.release([email], { why, delayMs: 1000 });
    return;
  }
  trail.event('RECEIVED');
  const validation = validateEmail(email, {
    recipientMissing: known.recipientMissing,
    allowedDomains: tools.staging.allowedDomains,
  });
  const invalid = validation instanceof Promise ? await validation : validation;
  if (invalid) {
    tools.metrics.validationFailed(invalid.type);
    trail.event('VALIDATION_FAILED');
    return trail.settle(['FAILED'], invalidVerdict(invalid), null);
  }
  trail.event('VALIDATED');
  const repeat = email.repeatableMs === null ? 'first' : repeatOf(email, known, tools);
  if (repeat === 'late') {
    if (email.delivery === 'at-most-once') return trail.settle(['OUTCOME_UNKNOWN'], TOO_LATE, null);
    email.possibleDuplicate = true;
  }
  const delivered = await deliver(email, sender!, { pauses: known.pauses, trail, repeat }, tools);
  // Of no more use, and a result waits some milliseconds to be written: every collection would copy it.
  email.body = null;
  if (delivered.kind === 'paused') {
    await tools.ledger.park([email], routePause(delivered.route));
    return;
  }
  if (delivered.kind === 'unavailable') {
    await tools.ledger.release([email], delivered);
    return;
  }
  killPoint('attempt:after-send');
  const decision = settleOutcome(email, delivered.outcome, tools);
  if (decision.kind !== 'settle') {
    await tools.ledger.release([email], decision);
    return;
  }
  const verdict = withSuppressed(withFailover(decision.settlement, delivered), known.suppressed);
  return trail.settle(decision.events, verdict, delivered.route);
}

function deliver(
  email: OpenedEmail,
  sender: Mailbox,
  { pauses, trail, repeat }: { pauses: Pauses; trail: AttemptTrail; repeat: Repeat },
  tools: AttemptTools,
): Promise<Delivered> {
  const outgoing = outgoingEmail(email, sender);
  const atMostOnce = email.delivery === 'at-most-once';
  let begun: boolean | Promise<boolean> | undefined;
  const answered = (answer: boolean): boolean => {
    begun = answer;
    killPoint('attempt:begun');
    if (answer) tools.onBegun(email);
    return answer;
  };
  const begin = () => {
    begun ??= email.begun ? answered(true) : tools.marks.mark(email, { atMostOnce }).then(answered);
    return begun;
  };
  const { redirectAllTo } = tools.staging;
  return deliverByRoute(
    {
      email:
        redirectAllTo === null
          ? outgoing
          : redirectEmail(outgoing, { address: redirectAllTo, meant: recipientsOf(email.message) }),
      route: email.route,
      tenant: email.tenant,
      type: email.type,
      region: tools.region,
      ownSender: email.message.from !== undefined,
      onlyThere: repeat === 'safe',
      urgent: email.priority <= URGENT_PRIORITY,
      paused: pauses.routes,
      signal: tools.signal,
      attempt: () => ({
        sendDeadlineAt: tools.clock.now() + tools.sendTimeoutMs,
        signal: tools.signal,
        begin,
        // Only a suspect keeps others waiting while it is prepared.
        onWaiting: email.suspect ? () => tools.onWaiting(email) : undefined,
        // What must not repeat is not marked for nothing: a crash would end it as unknown.
        mayBeginEarly: !atMostOnce && !email.suspect,
        givesWay: email.suspect,
        mayDeliver: tools.mayDeliver,
      }),
      onHandedOver() {
        trail.event('SENT_ATTEMPT');
        killPoint('attempt:before-send');
      },
      async pause(route, reason) {
        const why = toStorableText(reason);
        tools.logger.error({ route, why }, 'route paused: its account or settings are wrong');
        await tools.ledger.pauseRoute(route, why);
      },
    },
    { board: tools.routes, metrics: tools.metrics, random: tools.random },
  );
}

const URGENT_PRIORITY = 2;

/** `safe`: its route recognises what an earlier attempt may have delivered. `late`: nobody would any more. */
type Repeat = 'first' | 'safe' | 'late';

function repeatOf(email: OpenedEmail, { suppressed }: KnownBefore, tools: AttemptTools): Repeat {
  const { route, tenant, type, repeatableMs } = email;
  // To fewer recipients it is not the same email, and nobody recognises it.
  if (suppressed.length > 0) return 'late';
  const [first] = tools.routes.candidates(route, { tenant, type, region: tools.region });
  const recognised = first?.route.name === route && first.route.provider.recognisesRepeats === true;
  return recognised && mayRepeat(repeatableMs) ? 'safe' : 'late';
}

const TOO_LATE: Verdict = {
  status: 'unknown',
  providerMessageId: null,
  errorCode: 'REPEAT_TOO_LATE',
  errorCategory: 'UNKNOWN_ERROR',
  errorMessage:
    'an earlier attempt may have delivered, and its provider would not recognise a repeat any more',
  retryDelayMs: null,
  detail: { possibleDuplicate: true },
  remaining: null,
  possibleDuplicate: true,
  repeatableMs: null,
};

function withFailover(verdict: Verdict, { failover }: Extract<Delivered, { kind: 'tried' }>): Verdict {
  return failover.length === 0 ? verdict : { ...verdict, detail: { ...verdict.detail, failover } };
}

/** Whom it did not go to is said with what became of it. */
function withSuppressed(verdict: Verdict, suppressed: readonly Suppressed[]): Verdict {
  return suppressed.length === 0 ? verdict : { ...verdict, detail: { ...verdict.detail, suppressed } };
}

function pauseOf({ tenant, type }: OpenedEmail, pauses: Pauses): Hold | null {
  if (pauses.all) return { scope: 'all', value: '', why: 'sending is paused' };
  if (pauses.tenants.includes(tenant))
    return { scope: 'tenant', value: tenant, why: 'the company is paused' };
  if (type !== null && pauses.types.has(type))
    return { scope: 'type', value: type, why: 'the type is paused' };
  return null;
}

function routePause(route: string): Hold {
  return { scope: 'route', value: route, why: 'the route is paused' };
}

function invalidVerdict(invalid: ValidationFailure): Verdict {
  return {
    status: 'failed',
    providerMessageId: null,
    errorCode: invalid.code,
    errorCategory: 'VALIDATION_ERROR',
    errorMessage: invalid.message,
    retryDelayMs: null,
    detail: { validation: invalid.type, willRetry: false },
    remaining: null,
    possibleDuplicate: false,
    repeatableMs: null,
  };
}
