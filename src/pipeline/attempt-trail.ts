import type { Clock, Logger } from '../kernel/index.js';
import type { EventType, OpenedEmail } from '../outbox/index.js';
import type { Route } from '../providers/index.js';
import type { PipelineMetrics } from './pipeline-metrics.js';
import type { Verdict } from './settle-outcome.js';
import type { Settler } from './settler.js';

/**
 * The events of one attempt with their times, its log lines and its figures. On the path of every
 * email: objects are written out in full, because copying one and adding to it costs V8 a new shape.
 */
export class AttemptTrail {
  private readonly events: EventType[] = [];
  private readonly offsetsMs: number[] = [];
  /** What was told at last; null while nothing was, and after an attempt that was given back. */
  told: { status: string; verdict: Verdict | null; by: Route | null } | null = null;

  constructor(
    private readonly email: OpenedEmail,
    private readonly receivedAt: number,
    private readonly tools: TrailTools,
  ) {}

  event(type: EventType): void {
    const { metrics, logger, debugs } = this.tools;
    const at = this.elapsed();
    this.events.push(type);
    this.offsetsMs.push(this.events.length === 1 ? 0 : at);
    metrics.transition(type, at / 1000);
    if (debugs) logger.debug(this.line(type), 'email event');
  }

  /** Ended without an attempt. */
  end(type: EventType, status: string): void {
    this.told = { status, verdict: null, by: null };
    this.tools.metrics.transition(type, this.elapsed() / 1000);
    this.tools.metrics.ended(status);
    this.tools.logger.info(this.line(type), 'email ended');
  }

  /** `by` is the route that had the last word; null when none was asked. */
  async settle(last: EventType[], verdict: Verdict, by: Route | null): Promise<void> {
    const { email, tools } = this;
    for (const type of last) this.event(type);
    this.told = { status: verdict.status, verdict, by };
    tools.onAttempted(email);
    const result = await tools.settler.add({
      id: email.id,
      token: email.token,
      attempt: email.attempt,
      status: verdict.status,
      events: this.events,
      offsetsMs: this.offsetsMs,
      durationMs: this.offsetsMs.at(-1) ?? 0,
      route: by?.name ?? email.route,
      provider: by?.provider.name ?? null,
      providerMessageId: verdict.providerMessageId,
      errorCode: verdict.errorCode,
      errorCategory: verdict.errorCategory,
      errorMessage: verdict.errorMessage,
      retryDelayMs: verdict.retryDelayMs,
      detail: verdict.detail,
      remaining: verdict.remaining,
      possibleDuplicate: verdict.possibleDuplicate,
      repeatableMs: verdict.repeatableMs,
      purge: email.sensitive && verdict.status === 'sent',
    });
    const state = last.at(-1) ?? 'FAILED';
    if (result !== 'settled') {
      tools.metrics.fenced(1);
      const fields = { ...this.result(state, verdict, by), result };
      tools.logger.warn(fields, 'result not recorded: another worker owns the email');
    } else if (verdict.status === 'retry') {
      tools.metrics.retried(verdict.errorCategory ?? 'UNKNOWN_ERROR');
      tools.logger.warn(this.result(state, verdict, by), 'email will be retried');
    } else {
      tools.metrics.ended(verdict.status);
      if (verdict.status === 'sent')
        tools.metrics.delivered((tools.clock.now() - email.dueAt.getTime()) / 1000, email);
      if (verdict.status !== 'sent')
        tools.logger.warn(this.result(state, verdict, by), `email ${verdict.status}`);
      else if (tools.informs) tools.logger.info(this.result(state, verdict, by), 'email sent');
    }
  }

  private elapsed(): number {
    return Math.max(0, this.tools.clock.monotonic() - this.receivedAt);
  }

  private line(state: string): object {
    const { email } = this;
    return {
      outboxId: email.id,
      requestId: email.requestId,
      companyId: email.tenant,
      attempt: email.attempt,
      state,
      durationMs: Math.round(this.elapsed()),
    };
  }

  private result(state: string, verdict: Verdict, by: Route | null): object {
    return {
      ...this.line(state),
      provider: by?.provider.name ?? null,
      errorCode: verdict.errorCode ?? undefined,
      // Our own words only: a server's may hold an address.
      ...(by === null && verdict.errorMessage ? { reason: verdict.errorMessage } : {}),
    };
  }
}

export interface TrailTools {
  settler: Settler;
  clock: Clock;
  logger: Logger;
  /** Whether anybody reads lines of level debug. */
  debugs: boolean;
  /** The same for info. */
  informs: boolean;
  metrics: PipelineMetrics;
  /** The attempt is over; what is left is to write its result down. */
  onAttempted(email: OpenedEmail): void;
}
