import { OUR_SIDE, unsent } from '../our-side.js';
import type { Deferred, Misconfigured, Outcome, Rejected, Trace, Unknown } from '../provider.js';
import { classifyNetworkError } from './classify-network-error.js';
import { classifySmtpReply } from './classify-smtp-reply.js';
import { type Conversation, oneLine } from './conversation.js';
import { parseRetryHint } from './parse-retry-hint.js';
import type { SmtpReply } from './reply-reader.js';
import type { Lost, SmtpConnection } from './smtp-connection.js';

/**
 * The outcome of an attempt that the server refused with a reply. The stage decides what the
 * refusal is about; a wait the server asked for is passed on.
 */
export function outcomeOfReply(reply: SmtpReply, connection: SmtpConnection, nowMs: number): Outcome {
  const verdict = classifySmtpReply(reply.code, connection.stage);
  const failure = { ...verdict, message: replyText(reply), trace: traceOf(connection, reply) };
  switch (failure.kind) {
    case 'deferred': {
      const hintMs = parseRetryHint(failure.message);
      const deferred: Deferred = { ...failure, kind: 'deferred' };
      return hintMs === undefined ? deferred : { ...deferred, retryAt: nowMs + hintMs };
    }
    case 'rejected':
      return { ...failure, kind: 'rejected' } satisfies Rejected;
    case 'misconfigured':
      return { ...failure, kind: 'misconfigured' } satisfies Misconfigured;
  }
}

/** The outcome of an attempt whose connection was lost while nothing could have been delivered. */
export function outcomeOfLoss(lost: Lost, connection: SmtpConnection): Outcome {
  const { code, message } = lost;
  const trace = traceOf(connection);
  if (OUR_SIDE.has(code)) {
    return { ...unsent(code, message), trace };
  }
  return { ...classifyNetworkError(code), scope: 'route', code, message, trace };
}

/** The outcome once the final dot is out and no usable answer came. */
export function outcomeUnknown(lost: Lost, connection: SmtpConnection): Unknown {
  return {
    kind: 'unknown',
    scope: 'message',
    code: lost.code,
    category: lost.code === 'ETIMEDOUT' ? 'TIMEOUT_ERROR' : 'UNKNOWN_ERROR',
    message: lost.message,
    trace: traceOf(connection),
  };
}

/** None of the ways to sign in that we could use is offered. */
export function authUnsupported(connection: SmtpConnection, wanted: string[]): Outcome {
  return {
    kind: 'misconfigured',
    scope: 'account',
    code: 'AUTH_UNSUPPORTED',
    category: 'CONFIGURATION_ERROR',
    message: `the server offers none of ${wanted.join(', ')}`,
    trace: traceOf(connection),
  };
}

export function traceOf(connection: SmtpConnection, reply?: SmtpReply): Trace {
  return new SmtpTrace(connection, reply);
}

/**
 * The conversation is written out when it is read: of an email that simply went nobody reads it. A class, because an
 * accessor written into each object costs V8 more than everything else in it.
 */
class SmtpTrace implements Trace {
  readonly stage: string;
  readonly responseCode: number | undefined;
  readonly response: string | undefined;
  private readonly said: Conversation;

  constructor({ stage, conversation }: SmtpConnection, reply?: SmtpReply) {
    this.stage = stage;
    this.said = conversation;
    this.responseCode = reply?.code;
    this.response = reply && replyText(reply);
  }

  get conversation(): string[] {
    return this.said.lines();
  }
}

export function replyText(reply: SmtpReply): string {
  return oneLine(reply.lines.join(' ').trim(), 500);
}
