import {
  type Clock,
  killPoint,
  type Logger,
  type Mailbox,
  messageOf,
  type Randomness,
} from '../kernel/index.js';
import type { EventType, Ledger, OpenedEmail, Pauses } from '../outbox/index.js';
import type { Outcome, OutgoingEmail, Provider } from '../providers/index.js';
import { outgoingEmail } from './outgoing-email.js';
import type { PipelineMetrics } from './pipeline-metrics.js';
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
  provider(route: string): Provider | undefined;
  /** For emails that name none; null: they cannot be sent. */
  sender: Mailbox | null;
  mayDeliver(): boolean;
  signal: AbortSignal;
  sendTimeoutMs: number;
  clock: Clock;
  random: Randomness;
  logger: Logger;
  metrics: PipelineMetrics;
}

export async function attemptEmail(
  email: OpenedEmail,
  known: { recipientMissing: boolean; pauses: Pauses; receivedAt: number },
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
  trail.event('RECEIVED');
  const sender = email.message.from ?? tools.sender;
  const invalid = validateEmail(email, {
    recipientMissing: known.recipientMissing,
    hasSender: sender !== null,
  });
  if (invalid) {
    tools.metrics.validationFailed(invalid.type);
    trail.event('VALIDATION_FAILED');
    return trail.settle(['FAILED'], invalidVerdict(invalid), null);
  }
  trail.event('VALIDATED');
  trail.event('SENT_ATTEMPT');
  const provider = tools.provider(email.route);
  if (!provider) {
    await tools.ledger.release([email], { why: `no provider for route ${email.route}`, delayMs: 60_000 });
    return;
  }
  killPoint('attempt:before-send');
  const outcome = await send(provider, outgoingEmail(email, sender!), tools);
  killPoint('attempt:after-send');
  const decision = settleOutcome(email, outcome, tools);
  switch (decision.kind) {
    case 'settle':
      return trail.settle(decision.events, decision.settlement, provider.name);
    case 'pause-route':
      tools.logger.error(
        { route: email.route, why: decision.why },
        'route paused: its account or settings are wrong',
      );
      await tools.ledger.pauseRoute(email.route, decision.why);
      await tools.ledger.release([email], decision);
      return;
    case 'release':
      await tools.ledger.release([email], decision);
      return;
  }
}

async function send(provider: Provider, email: OutgoingEmail, tools: AttemptTools): Promise<Outcome> {
  try {
    return await provider.send(email, {
      sendDeadlineAt: tools.clock.now() + tools.sendTimeoutMs,
      signal: tools.signal,
      mayDeliver: tools.mayDeliver,
    });
  } catch (error) {
    // A provider promises a value; one that throws has not told how far it came.
    return {
      kind: 'unknown',
      scope: 'message',
      code: 'PROVIDER_FAULT',
      category: 'UNKNOWN_ERROR',
      message: messageOf(error),
      trace: { stage: 'unknown' },
    };
  }
}

function pauseOf(email: OpenedEmail, pauses: Pauses): string | null {
  if (pauses.all) return 'sending is paused';
  if (pauses.tenants.includes(email.tenant)) return 'the company is paused';
  if (email.type !== null && pauses.types.has(email.type)) return 'the type is paused';
  if (pauses.routes.has(email.route)) return 'the route is paused';
  return null;
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
    async settle(last: EventType[], verdict: Verdict, provider: string | null): Promise<void> {
      for (const type of last) this.event(type);
      const result = await tools.settler.add({
        ...verdict,
        id: email.id,
        token: email.token,
        attempt: email.attempt,
        events,
        offsetsMs,
        durationMs: offsetsMs.at(-1) ?? 0,
        route: email.route,
        provider,
      });
      const fields = {
        ...line(last.at(-1) ?? 'FAILED'),
        provider,
        errorCode: verdict.errorCode ?? undefined,
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
