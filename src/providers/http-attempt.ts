import type { Clock } from '../kernel/index.js';
import { LEASE_LOST, OUR_SIDE, unsent } from './our-side.js';
import { type AttemptContext, beginAttempt, type Outcome, type Trace, type Unknown } from './provider.js';
import { classifyNetworkError } from './smtp/classify-network-error.js';
import { oneLine } from './smtp/conversation.js';
import { type AttemptWatch, watchAttempt } from './watch-attempt.js';

/**
 * One attempt over HTTP. Until `mayRequest` says yes nothing has left and every failure is "certainly
 * not delivered"; from then on only a failure to connect is, and silence is "unknown".
 */
export class HttpAttempt {
  /** Aborts the request when the time is over or the process stops. */
  readonly signal: AbortSignal;
  private readonly controller = new AbortController();
  private readonly watch: AttemptWatch;
  private lost: { code: string; message: string } | undefined;
  private requested = false;

  constructor(
    private readonly attempt: AttemptContext,
    private readonly options: { clock: Clock; replyTimeoutMs: number; timeoutCode: string },
  ) {
    this.signal = this.controller.signal;
    this.watch = watchAttempt(this, attempt, { clock: options.clock, timeoutCode: options.timeoutCode });
  }

  /** False when the email must not be sent any more: see `notBegun`. A loss meanwhile is told by `mayRequest`. */
  async begin(): Promise<boolean> {
    const begun = beginAttempt(this.attempt);
    if (begun === true || this.signal.aborted) return true;
    const lost = new Promise<boolean>((resolve) => {
      this.signal.addEventListener('abort', () => resolve(true), { once: true });
    });
    return Promise.race([begun, lost]);
  }

  /** Asked in the tick in which the request is handed over; a no is the attempt's end. */
  mayRequest(): boolean {
    const { clock, replyTimeoutMs, timeoutCode } = this.options;
    if (clock.now() > this.attempt.sendDeadlineAt) {
      this.lose(timeoutCode, 'not sent within the time of the attempt');
    }
    if (!this.lost && !this.attempt.mayDeliver()) this.lose(LEASE_LOST, 'the claim may have been taken over');
    if (this.lost) return false;
    this.requested = true;
    this.watch.dotSent(replyTimeoutMs, timeoutCode);
    return true;
  }

  lose(code: string, message: string): void {
    this.lost ??= { code, message };
    this.controller.abort();
  }

  end(): void {
    this.watch.end();
  }

  /** What an attempt without an answer means; `error` is what the HTTP client threw. */
  outcomeOfLoss(error: unknown): Outcome {
    const { code, message } = this.lost ?? networkError(error);
    const unconnected = !this.lost && neverConnected(error);
    if (this.requested && !unconnected) return this.unknown(code, message);
    const trace = this.trace();
    if (OUR_SIDE.has(code)) return { ...unsent(code, message), trace };
    if (code === this.options.timeoutCode) {
      return { kind: 'deferred', scope: 'route', code, category: 'TIMEOUT_ERROR', message, trace };
    }
    const verdict = classifyNetworkError(code);
    if (verdict.kind === 'misconfigured' || !unconnected) {
      return { ...verdict, scope: 'route', code, message, trace };
    }
    return {
      kind: 'deferred',
      scope: 'route',
      code: NETWORK_ERROR,
      category: 'TRANSIENT_ERROR',
      message: `${code}: ${message}`,
      trace,
    };
  }

  unknown(code: string, message: string): Unknown {
    const timedOut = code === this.options.timeoutCode;
    return {
      kind: 'unknown',
      scope: 'message',
      code: SYSTEM_CODE.test(code) ? NETWORK_ERROR : code,
      category: timedOut ? 'TIMEOUT_ERROR' : 'UNKNOWN_ERROR',
      message: SYSTEM_CODE.test(code) ? `${code}: ${message}` : message,
      trace: this.trace(),
    };
  }

  private trace(): Trace {
    return { stage: this.requested ? 'request' : 'connect' };
  }
}

/** The sources' one name for it; the system's own stands in the message. */
const NETWORK_ERROR = 'NETWORK_ERROR';

const SYSTEM_CODE = /^(?:E[A-Z_]+|UND_ERR_\w+|SOCKET_CLOSED)$/;

/** No connection came about, so nothing of the request can have arrived. */
function neverConnected(error: unknown): boolean {
  const { code, syscall, message } = innermost(error);
  return (
    syscall === 'connect' ||
    syscall === 'getaddrinfo' ||
    UNCONNECTED.has(code ?? '') ||
    classifyNetworkError(code ?? '').kind === 'misconfigured' ||
    /did not establish a connection/.test(message)
  );
}

const UNCONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function networkError(error: unknown): { code: string; message: string } {
  const { code, message, name } = innermost(error);
  return { code: code ?? name ?? 'UNKNOWN', message: oneLine(message, 500) };
}

interface Thrown {
  code?: string;
  syscall?: string;
  name?: string;
  message: string;
}

/** fetch wraps the system's error in its own, and a host with several addresses wraps all of theirs. */
function innermost(error: unknown): Thrown {
  let found = error as Thrown & { cause?: unknown; errors?: unknown[] };
  for (let depth = 0; depth < 5; depth++) {
    const inner = found?.cause ?? (found?.code === undefined ? found?.errors?.[0] : undefined);
    if (inner === undefined || inner === null) break;
    found = inner as typeof found;
  }
  return found instanceof Error ? (found as Thrown) : { message: String(found) };
}
