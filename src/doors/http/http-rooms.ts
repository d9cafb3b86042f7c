import type { Webhooks } from '../../events/index.js';
import type { Explanation } from '../../kernel/index.js';
import type { Quotas, RateLimits } from '../../policy/index.js';
import type { Recipients, Suppressions } from '../../recipients/index.js';
import type { Templates } from '../../render/index.js';
import type { Schedules } from '../../schedules/index.js';
import type { HoldContent } from '../../views/index.js';
import type { BroadcastRoom } from './broadcast-routes.js';
import type { BrokerRoom } from './broker-routes.js';
import type { BusRoom } from './bus-routes.js';
import type { HookRoom } from './hook-room.js';
import type { ResendRooms } from './resend/resend-rooms.js';
import type { UnsubscribeRoom } from './unsubscribe-room.js';

/**
 * What the HTTP door calls: the rooms behind it, seen as one port that app.ts wires.
 * Logs and events pass through as they are presented by views; the door neither reads nor reshapes them.
 */
export interface HttpRooms {
  /** Validates and commits one email. Refusals are thrown as PostriderError and name the field. */
  accept(input: unknown, options: AcceptOptions): Promise<AcceptedEmail>;
  /** All or none; refusals name the place, as in `[3].subject`. */
  acceptBatch(inputs: readonly unknown[], options: AcceptOptions): Promise<AcceptedEmail[]>;
  /** The log of one email, or null when there is none; with a company only one of its own. */
  get(emailId: string, companyId?: string): Promise<object | null>;
  /** The journal of one email in order, or null when there is no such email. */
  timeline(emailId: string, companyId?: string): Promise<readonly object[] | null>;
  /** The log after cancelling; throws EMAIL_NOT_FOUND or EMAIL_NOT_CANCELLABLE. */
  cancel(emailId: string, companyId?: string): Promise<object>;
  /** The log after it was given another time; throws as cancel does. */
  reschedule(emailId: string, at: string, companyId?: string): Promise<object>;
  /** Absent where a door is about emails alone, as beside the development inbox. */
  recipients?: Recipients;
  templates?: Templates;
  suppressions?: Suppressions;
  webhooks?: Webhooks;
  /** What others report about emails. */
  hooks?: HookRoom;
  /** Absent where there is no address for links. */
  unsubscribe?: UnsubscribeRoom | null;
  /** What operators do with many emails; filters are checked there. Without it those routes are not there. */
  operations?: HttpOperations;
  /** What stands in the broker's dead-letter queue. */
  broker?: BrokerRoom;
  /** What waits for the event bus, and what it could not take. */
  bus?: BusRoom;
  /** The files of emails. */
  attachments?: AttachmentRoom;
  /** One email in full. */
  details?: EmailDetailRoom;
  /** What flows and how it went. */
  figures?: FigureRoom;
  /** What is wrong now and was lately. */
  alerts?: AlertRoom;
  /** What runs and what is held back. */
  pauses?: PauseRoom;
  /** Recurring emails. */
  schedules?: ScheduleRooms;
  /** Emails to whole segments. */
  broadcasts?: BroadcastRoom;
  /** How much may be sent. */
  limits?: { rateLimits: RateLimits; quotas: Quotas };
  /** Every setting as it stands, secrets masked. */
  settings?(): readonly Explanation[];
  /** The Resend API under `/resend`. */
  resend?: ResendRooms;
  ready(): Promise<Readiness>;
  /** Of one region, where there are several. */
  metrics(region?: string): Promise<{ contentType: string; body: string }>;
  /** Told of every answer, for the figures. */
  requested?(request: { method: string; route: string; status: number; durationMs: number }): void;
}

export interface HttpOperations {
  list(query: object): Promise<object>;
  /** With every attempt and statistics. */
  log(query: object): Promise<object>;
  userEmails(user: { userId: string; companyId: string }): Promise<object>;
  cancelMany(filter: object, options: { dryRun: boolean; by: string }): Promise<object>;
  /** One person out of everything. */
  erase(person: object): Promise<object>;
  deadLetters: {
    list(query: object): Promise<object>;
    groups(query: object): Promise<readonly object[]>;
    get(emailId: string): Promise<object | null>;
    retry(which: object, options: { acceptDuplicates: boolean; by: string }): Promise<RetryReport>;
    discard(which: object, options: { reason?: string; by: string }): Promise<{ discarded: number }>;
  };
}

export interface AttachmentRoom {
  attachments(
    emailId: string,
    of: { companyId?: string | undefined },
  ): Promise<{ sensitive: boolean; attachments: readonly object[] | null } | null>;
  attachment(
    emailId: string,
    index: number,
    of: { companyId?: string | undefined; hold?: HoldContent },
  ): Promise<{
    filename: string;
    contentType: string;
    sensitive: boolean;
    content: Uint8Array<ArrayBuffer>;
  } | null>;
}

export interface EmailDetailRoom {
  detail(emailId: string): Promise<object | null>;
  content(
    emailId: string,
    options: { part: 'bodies' | 'shown'; hold: HoldContent },
  ): Promise<EmailContents | null>;
  sendAgain(
    emailId: string,
    options: { requestId: string; idempotencyKey?: string; hold: HoldContent },
  ): Promise<AcceptedEmail>;
}

export interface EmailContents {
  html: string | null;
  text: string | null;
  attachments: ReadonlyArray<{ contentType?: string; contentId?: string; content: string }>;
}

export interface FigureRoom {
  flow(): Promise<object>;
  figures(hours: string | number): Promise<object>;
}

export interface AlertRoom {
  /** Open episodes, then the latest that ended. */
  list(): Promise<readonly object[]>;
}

export interface PauseRoom {
  overview(): Promise<object>;
  listRoutes(): Promise<readonly object[]>;
  listPauses(): Promise<ReadonlyArray<{ scope: string; value: string }>>;
  pause(scope: 'all' | 'tenant' | 'type' | 'route', value: string, reason?: string): Promise<void>;
  resume(scope: 'all' | 'tenant' | 'type' | 'route', value: string): Promise<number>;
}

export interface RetryReport {
  retried: number;
  refused: object;
  examples: ReadonlyArray<{ emailId: string; reason: string }>;
}
export type ScheduleRooms = Pick<Schedules, 'list' | 'pause' | 'resume' | 'runNow' | 'runs'>;

export interface AcceptOptions {
  requestId: string;
  idempotencyKey?: string;
  traceparent?: string;
}

export interface AcceptedEmail {
  queued: boolean;
  emailId: string;
  requestId: string;
  status: string;
  rateLimit?: { limit: number; remaining: number; resetAt: string | null };
}

export interface Readiness {
  ok: boolean;
  checks: Record<string, { ok: boolean; message?: string }>;
}
