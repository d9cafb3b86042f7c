import {
  type Clock,
  killPoint,
  type Logger,
  type Mailbox,
  type Randomness,
  toStorableText,
} from '../kernel/index.js';
import type { EventType, Hold, Ledger, OpenedEmail, Pauses } from '../outbox/index.js';
import { type Delivered, deliverByRoute, type Route, type RouteBoard } from '../providers/index.js';
import { outgoingEmail } from './outgoing-email.js';
import type { PipelineMetrics } from './pipeline-metrics.js';
import { redirectEmail } from './redirect-email.js';
import { settleOutcome, type Verdict } from './settle-outcome.js';
import type { Settler } from './settler.js';
import { type ValidationFailure, validateEmail } from './validate-email.js';

/**
 * One email, from opened to settled: late policy, the four validations, the provider, the result.
 * It never throws for what a provider or an email may do.
 */
export interface AttemptTools {
  ledger: Ledger;
  settler: Settler;
  routes: RouteBoard;
  /** For emails that name none; null: they cannot be sent. */
  sender: Mailbox | null;
  staging: Staging;
  mayDeliver(): boolean;
  signal: AbortSignal;
  sendTimeoutMs: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: PipelineMetrics;
  /** The attempt is over; what is left is to write its result down. */
  onAttempted(email: OpenedEmail): void;
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
  pauses: Pauses;
  receivedAt: number;
}

export async function attemptEmail(
  email: OpenedEmail,
  known: KnownBefore,
  tools: AttemptTools,
): Promise<void> {
  const trail = startTrail(email, known.receivedAt, tools);
  if (email.expired) {
    await tools.ledger.expire([email]);
    return trail.end('EXPIRED', 'expired');
  }
  const pause = pauseOf(email, known.pauses);
  if (pause) {
    await tools.ledger.park([email], pause);
    return;
  }
  const sender = email.message.from ?? tools.sender;
  if (!sender && email.found) {
    // A forgotten setting must not burn what waits: the route stops, the email stays.
    const why = 'there is no sender: set SMTP_FROM_EMAIL';
    tools.logger.error({ route: email.route, why }, 'route paused: its account or settings are wrong');
    await tools.ledger.pauseRoute(email.route, why);
    await tools.ledger.release([email], { why, delayMs: 1000 });
    return;
  }
  trail.event('RECEIVED');
  const invalid = validateEmail(email, {
    recipientMissing: known.recipientMissing,
    allowedDomains: tools.staging.allowedDomains,
  });
  if (invalid) {
    tools.metrics.validationFailed(invalid.type);
    trail.event('VALIDATION_FAILED');
    return trail.settle(['FAILED'], invalidVerdict(invalid), null);
  }
  trail.event('VALIDATED');
  const delivered = await deliver(email, sender!, known.pauses, trail, tools);
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
  return trail.settle(decision.events, withFailover(decision.settlement, delivered), delivered.route);
}

function deliver(
  email: OpenedEmail,
  sender: Mailbox,
  pauses: Pauses,
  trail: { event(type: EventType): void },
  tools: AttemptTools,
): Promise<Delivered> {
  const outgoing = outgoingEmail(email, sender);
  const { redirectAllTo } = tools.staging;
  return deliverByRoute(
    {
      email: redirectAllTo === null ? outgoing : redirectEmail(outgoing, redirectAllTo),
      route: email.route,
      tenant: email.tenant,
      type: email.type,
      urgent: email.priority <= URGENT_PRIORITY,
      paused: pauses.routes,
      attempt: () => ({
        sendDeadlineAt: tools.clock.now() + tools.sendTimeoutMs,
        signal: tools.signal,
        mayDeliver: tools.mayDeliver,
      }),
      begin() {
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

function withFailover(verdict: Verdict, { failover }: Extract<Delivered, { kind: 'tried' }>): Verdict {
  return failover.length === 0 ? verdict : { ...verdict, detail: { ...verdict.detail, failover } };
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
  };
}

/** The events of one attempt with their times, its log lines and its figures. */
function startTrail(email: OpenedEmail, receivedAt: number, tools: AttemptTools) {
  const events: EventType[] = [];
  const offsetsMs: number[] = [];
  const elapsed = () => Math.max(0, tools.clock.monotonic() - receivedAt);
  const line = (state: string) => ({
    outboxId: email.id,
    requestId: email.requestId,
    companyId: email.tenant,
    attempt: email.attempt,
    state,
    durationMs: Math.round(elapsed()),
  });
  return {
    event(type: EventType): void {
      const at = elapsed();
      events.push(type);
      offsetsMs.push(events.length === 1 ? 0 : at);
      tools.metrics.transition(type, at / 1000);
      tools.logger.debug(line(type), 'email event');
    },
    end(type: EventType, status: string): void {
      tools.metrics.transition(type, elapsed() / 1000);
      tools.metrics.ended(status);
      tools.logger.info(line(type), 'email ended');
    },
    /** `by` is the route that had the last word; null when none was asked. */
    async settle(last: EventType[], verdict: Verdict, by: Route | null): Promise<void> {
      const provider = by?.provider.name ?? null;
      for (const type of last) this.event(type);
      tools.onAttempted(email);
      const result = await tools.settler.add({
        ...verdict,
        id: email.id,
        token: email.token,
        attempt: email.attempt,
        events,
        offsetsMs,
        durationMs: offsetsMs.at(-1) ?? 0,
        route: by?.name ?? email.route,
        provider,
        purge: email.sensitive && verdict.status === 'sent',
      });
      const fields = {
        ...line(last.at(-1) ?? 'FAILED'),
        provider,
        errorCode: verdict.errorCode ?? undefined,
        // Our own words only: a server's may hold an address.
        ...(by === null && verdict.errorMessage ? { reason: verdict.errorMessage } : {}),
      };
      if (result !== 'settled') {
        tools.metrics.fenced(1);
        tools.logger.warn({ ...fields, result }, 'result not recorded: another worker owns the email');
      } else if (verdict.status === 'retry') {
        tools.metrics.retried(verdict.errorCategory ?? 'UNKNOWN_ERROR');
        tools.logger.warn(fields, 'email will be retried');
      } else {
        tools.metrics.ended(verdict.status);
        tools.logger[verdict.status === 'sent' ? 'info' : 'warn'](fields, `email ${verdict.status}`);
      }
    },
  };
}
