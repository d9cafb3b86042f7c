import { type Clock, type Randomness, toStorableText } from '../kernel/index.js';
import type { EventType, OpenedEmail, Settlement } from '../outbox/index.js';
import { boundedWait, decideRetry, findRetryPreset, RETRY_PRESETS } from '../policy/index.js';
import type { Deferred, Outcome, Rejected, Unknown } from '../providers/index.js';

/**
 * Where "retry or give up" is decided: turns what a provider reported into what is written down.
 * Returns a release instead where the attempt must not count.
 */
export type Decision =
  | { kind: 'settle'; events: EventType[]; settlement: Verdict }
  | { kind: 'release'; why: string; delayMs: number }
  | { kind: 'pause-route'; why: string; delayMs: number };

export type Verdict = Pick<
  Settlement,
  | 'status'
  | 'providerMessageId'
  | 'errorCode'
  | 'errorCategory'
  | 'errorMessage'
  | 'retryDelayMs'
  | 'detail'
  | 'remaining'
  | 'possibleDuplicate'
  | 'repeatableMs'
>;

const ROUTE_PAUSE_MS = 1000;

export function settleOutcome(
  email: OpenedEmail,
  outcome: Outcome,
  tools: { clock: Clock; random: Randomness },
): Decision {
  switch (outcome.kind) {
    case 'sent':
      return outcome.remaining?.length
        ? sentToSome(email, outcome.remaining, outcome, tools)
        : sent(email, outcome);
    case 'deferred':
      if (outcome.uncounted) {
        const delayMs = boundedWait((outcome.retryAt ?? 0) - tools.clock.now());
        return { kind: 'release', why: toStorableText(outcome.code), delayMs };
      }
      return retryOrFail(email, outcome, tools);
    case 'rejected':
      return giveUp(email, failure(email, outcome, 'failed', null, { willRetry: false }));
    case 'misconfigured':
      return {
        kind: 'pause-route',
        why: toStorableText(`${outcome.code}: ${outcome.message}`),
        delayMs: ROUTE_PAUSE_MS,
      };
    case 'unknown':
      return unknown(email, outcome, tools);
  }
}

function sent(email: OpenedEmail, outcome: Extract<Outcome, { kind: 'sent' }>): Decision {
  return settle(['SENT'], {
    status: 'sent',
    providerMessageId: outcome.providerMessageId,
    errorCode: null,
    errorCategory: null,
    errorMessage: null,
    retryDelayMs: null,
    detail: detailOfSent(email, outcome),
    remaining: null,
    possibleDuplicate: false,
    repeatableMs: null,
  });
}

/** The conversation of a success is its last line; keeping all of it would double the journal. */
function detailOfSent(
  email: OpenedEmail,
  { refused, trace }: Extract<Outcome, { kind: 'sent' }>,
): Verdict['detail'] {
  const { response } = trace;
  // Nearly every email ends here.
  if (!email.possibleDuplicate && !refused?.length) return response === undefined ? null : { response };
  return {
    ...(email.possibleDuplicate ? { possibleDuplicate: true } : {}),
    ...(refused?.length ? { refused } : {}),
    ...(response === undefined ? {} : { response }),
  };
}

/** Some recipients were reached; only the others are tried again. */
function sentToSome(
  email: OpenedEmail,
  remaining: NonNullable<Extract<Outcome, { kind: 'sent' }>['remaining']>,
  outcome: Extract<Outcome, { kind: 'sent' }>,
  tools: { clock: Clock; random: Randomness },
): Decision {
  const first = remaining[0];
  const rest: Deferred = {
    kind: 'deferred',
    scope: 'recipient',
    code: first?.code ?? 'RECIPIENT_DEFERRED',
    category: 'TRANSIENT_ERROR',
    message: first?.message ?? 'some recipients were refused for now',
    trace: outcome.trace,
  };
  const decision = retryOrFail(email, rest, tools);
  if (decision.kind !== 'settle') return decision;
  const { settlement } = decision;
  return {
    ...decision,
    settlement: {
      ...settlement,
      providerMessageId: outcome.providerMessageId,
      remaining: remaining.map((failed) => failed.address),
      detail: {
        ...settlement.detail,
        remaining,
        ...(outcome.refused?.length ? { refused: outcome.refused } : {}),
      },
    },
  };
}

function retryOrFail(
  email: OpenedEmail,
  outcome: Deferred,
  tools: { clock: Clock; random: Randomness },
): Decision {
  const delayMs = nextDelay(email, tools, outcome);
  if (delayMs !== null) return settle(['RETRY_SCHEDULED'], failure(email, outcome, 'retry', delayMs, {}));
  const exhausted = email.attempt >= email.maxAttempts;
  return giveUp(
    email,
    failure(email, outcome, 'failed', null, {
      failureType: exhausted ? 'MAX_RETRIES_EXCEEDED' : 'UNKNOWN_ERROR',
    }),
  );
}

/** No further attempt. Where an earlier one may have delivered, this one's failure does not make it certain. */
function giveUp(email: OpenedEmail, verdict: Verdict): Decision {
  if (email.repeatableMs === null) return settle(['FAILED'], verdict);
  const open = { ...verdict, detail: { ...verdict.detail, possibleDuplicate: true } };
  return email.delivery === 'at-most-once'
    ? settle(['OUTCOME_UNKNOWN'], { ...open, status: 'unknown' })
    : settle(['FAILED'], open);
}

function unknown(
  email: OpenedEmail,
  outcome: Unknown,
  tools: { clock: Clock; random: Randomness },
): Decision {
  const delayMs = nextDelay(email, tools);
  const fresh = outcome.repeatableUntil === undefined ? null : outcome.repeatableUntil - tools.clock.now();
  const repeatableMs = email.repeatableMs ?? fresh;
  if (delayMs !== null && mayRepeat(repeatableMs, delayMs)) {
    // The same provider delivers it at most once, so a repeat is no duplicate and even an at-most-once email may go.
    const verdict = failure(email, outcome, 'retry', delayMs, { repeatable: true });
    return settle(['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'], { ...verdict, repeatableMs });
  }
  const extra = { possibleDuplicate: true };
  if (delayMs === null || email.delivery === 'at-most-once')
    return settle(['OUTCOME_UNKNOWN'], failure(email, outcome, 'unknown', null, extra));
  return settle(['OUTCOME_UNKNOWN', 'RETRY_SCHEDULED'], {
    ...failure(email, outcome, 'retry', delayMs, extra),
    possibleDuplicate: true,
  });
}

/** Whether a repeat that begins so late will be recognised, clocks and waits allowed for. */
export function mayRepeat(repeatableMs: number | null, delayMs = 0): boolean {
  return repeatableMs !== null && repeatableMs - delayMs > REPEAT_MARGIN_MS;
}

const REPEAT_MARGIN_MS = 10 * 60_000;

function nextDelay(
  email: OpenedEmail,
  tools: { clock: Clock; random: Randomness },
  outcome?: Deferred,
): number | null {
  return decideRetry({
    preset: findRetryPreset(email.retry) ?? RETRY_PRESETS.gateway,
    attempt: email.attempt - email.earlierAttempts,
    maxAttempts: email.maxAttempts - email.earlierAttempts,
    unclassified: outcome?.unclassified ?? false,
    askedMs: outcome?.retryAt === undefined ? 0 : Math.max(0, outcome.retryAt - tools.clock.now()),
    random: tools.random,
  });
}

function failure(
  email: OpenedEmail,
  outcome: Deferred | Rejected | Unknown,
  status: Verdict['status'],
  retryDelayMs: number | null,
  extra: object,
): Verdict {
  const { trace } = outcome;
  return {
    status,
    providerMessageId: null,
    errorCode: outcome.code,
    errorCategory: outcome.category,
    errorMessage: outcome.message,
    retryDelayMs,
    detail: {
      stage: trace.stage,
      scope: outcome.scope,
      ...(trace.responseCode === undefined ? {} : { originalCode: trace.responseCode }),
      ...(trace.response === undefined ? {} : { response: trace.response }),
      ...(trace.conversation?.length ? { conversation: trace.conversation } : {}),
      ...(email.possibleDuplicate ? { possibleDuplicate: true } : {}),
      ...extra,
    },
    remaining: null,
    // Marked when its time to be repeated safely ran out before this attempt.
    possibleDuplicate: email.possibleDuplicate,
    repeatableMs: null,
  };
}

function settle(events: EventType[], settlement: Verdict): Decision {
  return { kind: 'settle', events, settlement };
}
