import type { Mailbox } from '../kernel/index.js';

/**
 * The port every way out implements. A provider returns a value and never throws for what a server
 * or network may do; it asks `mayDeliver` right before the act that cannot be taken back.
 */
export interface Provider {
  /** What is written to the log as `provider`: console, smtp, ses, resend. */
  readonly name: string;
  /**
   * It delivers an email of one id at most once for as long as its `unknown` outcomes say in
   * `repeatableUntil`, also when another process repeats it.
   */
  readonly recognisesRepeats?: boolean;
  /**
   * It calls `attempt.begin()` itself, when it has a connection. Without it the attempt counts as begun when `send` is
   * called: after a crash an email that only waited for a connection is then taken for a possible duplicate.
   */
  readonly callsBegin?: boolean;
  /** How many emails it can have under way at once; more of them are left waiting in the ledger. */
  readonly connections?: number;
  /**
   * How many emails handed to it now would have a connection at once, or within milliseconds. They are marked as begun
   * with the statement that opens them; the others ask for a statement of their own when they call `attempt.begin()`.
   * Counts only where `callsBegin`; none where it is not said.
   */
  readonly servedAtOnce?: number;
  send(email: OutgoingEmail, attempt: AttemptContext): Promise<Outcome>;
  /** Connects and authenticates without sending anything. */
  testConnection(): Promise<ConnectionReport>;
  /** Ends idle connections; calls in flight have finished or been aborted before. */
  close(): Promise<void>;
}

export interface OutgoingEmail {
  /** The email's id, also the idempotency key where a provider has one. */
  id: string;
  /** Deterministic per email, with angle brackets, so that a repeat can be recognised. */
  messageId: string;
  /** When the email was accepted; the Date header, the same on every attempt. */
  date: Date;
  from: Mailbox;
  replyTo: Mailbox[];
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  subject: string;
  html: string;
  text: string;
  headers: Record<string, string>;
  attachments: OutgoingAttachment[];
  /** Envelope recipients of this attempt: all of to, cc and bcc, or those still to be reached. */
  recipients: string[];
}

export interface OutgoingAttachment {
  filename: string;
  contentType: string;
  content: Buffer;
  /** Set for inline images referred to as cid:… */
  contentId?: string;
}

export interface AttemptContext {
  /** Wall time by which the final dot (or the request) must have been sent. */
  sendDeadlineAt: number;
  /** Aborted when the process must stop now; what is not past the final dot ends as Deferred. */
  signal: AbortSignal;
  /**
   * Says that the first byte that could lead to delivery is about to be written, and marks the email as begun. False when
   * it was cancelled or taken over, or the mark could not be written: then nothing may be sent, and the outcome is
   * `deferred` and `uncounted`. Further calls give the first answer. Postrider always gives it; a test may leave it out.
   */
  begin?(): boolean | Promise<boolean>;
  /** Called when the email is composed and nothing but a connection to its server is missing. */
  onWaiting?: (() => void) | undefined;
  /** It may be marked as begun some milliseconds before its connection is free. */
  mayBeginEarly?: boolean;
  /** Others that wait for a connection go first. */
  givesWay?: boolean;
  /** False when the lease may have been lost: then nothing that could lead to delivery is sent. */
  mayDeliver(): boolean;
}

/** What `attempt.begin` says; without it there is nothing to be marked. */
export function beginAttempt(attempt: Pick<AttemptContext, 'begin'>): boolean | Promise<boolean> {
  return attempt.begin?.() ?? true;
}

export type Outcome = Sent | Deferred | Rejected | Unknown | Misconfigured;

/** What a failure is about: it decides who else must not be tried. */
export type FailureScope = 'recipient' | 'message' | 'route' | 'account';

export type ErrorCategory =
  | 'PERMANENT_ERROR'
  | 'TRANSIENT_ERROR'
  | 'QUOTA_ERROR'
  | 'TIMEOUT_ERROR'
  | 'CONFIGURATION_ERROR'
  | 'VALIDATION_ERROR'
  | 'UNKNOWN_ERROR';

export interface Sent {
  kind: 'sent';
  providerMessageId: string | null;
  trace: Trace;
  /** Recipients refused for good while the others were accepted. */
  refused?: RecipientFailure[];
  /** Recipients to try again, while the others were accepted. */
  remaining?: RecipientFailure[];
}

interface Failure {
  scope: FailureScope;
  /** Our name for it, such as SMTP_451, ECONNREFUSED, SES_THROTTLING. */
  code: string;
  category: ErrorCategory;
  /** The server's or system's own words, one line, bounded. */
  message: string;
  trace: Trace;
}

/** Certainly not delivered; worth another try. */
export interface Deferred extends Failure {
  kind: 'deferred';
  /** Wall time in ms the server asked us to wait for. */
  retryAt?: number;
  /** True when the cause is on our side and must not cost an attempt (lease lost, stopping, quota). */
  uncounted?: boolean;
  /** True when no table row classified it; the retry preset then decides. */
  unclassified?: boolean;
}

/** Certainly not delivered; never will be. */
export interface Rejected extends Failure {
  kind: 'rejected';
}

/** May have been delivered: the answer was lost after the last byte was sent. */
export interface Unknown extends Failure {
  kind: 'unknown';
  /**
   * Wall time until which the provider recognises a repeat and delivers at most one: the same email
   * is tried again on this route alone until then, without a second copy. Never a reason to fail over.
   */
  repeatableUntil?: number;
}

/**
 * The account or setting is wrong: no email of this route can go. With scope `message` none with this
 * sender can: the account does not know its domain. That ends the email if it brought the sender, and
 * pauses the route if the sender is the configured one.
 */
export interface Misconfigured extends Failure {
  kind: 'misconfigured';
}

export interface RecipientFailure {
  address: string;
  code: string;
  message: string;
}

/** What was seen, for the timeline. */
export interface Trace {
  /** How far the attempt came; see docs/STATES.md. */
  stage: string;
  responseCode?: number;
  response?: string;
  /** The conversation, bounded, credentials masked, without the message itself. */
  conversation?: string[];
}

export interface ConnectionReport {
  ok: boolean;
  message: string;
}
