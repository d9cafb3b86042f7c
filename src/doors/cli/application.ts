import type { Alerts, ChannelReport } from '../../alerts/index.js';
import type { BrokerDeadLetters } from '../../broker-dead-letters.js';
import type { BusDeadLetters } from '../../events/index.js';
import type { Operations } from '../../operations.js';
import type { Quotas, RateLimits } from '../../policy/index.js';
import type { ImportOptions, ImportReport, Suppressions } from '../../recipients/index.js';
import type { Templates } from '../../render/index.js';
import type { Schedules } from '../../schedules/index.js';
import type { Act } from './note-act.js';

/** A step of the schema that was applied, or one that waits for a lock, and what to say about it. */
export type MigrationProgress =
  | { migration: string; state: 'applied' }
  | { migration: string; state: 'waiting'; message: string };

/**
 * What the command line needs of the application, as one port. `app.ts` implements it and `main.ts`
 * hands it in, so that every command can be tried against a stand-in.
 */
export interface Application {
  send(input: SendInput, options?: SendOptions): Promise<Receipt>;
  /** The email's log, or null when there is none. */
  get(emailId: string): Promise<Record<string, unknown> | null>;
  timeline(emailId: string): Promise<TimelineEvent[]>;
  overview(): Promise<Overview>;
  migrate(onProgress: (progress: MigrationProgress) => void): Promise<{ applied: string[]; current: number }>;
  pause(scope: PauseScope, value: string, reason: string | null): Promise<void>;
  /** Of a store restored from a backup, before anything runs on it. */
  markRestored(): Promise<{ possibleDuplicates: number; unknown: number }>;
  /** Companies' own content for types, with the store open. */
  templates(): Promise<Templates>;
  /** How many pauses were lifted. */
  resume(scope: PauseScope, value: string): Promise<number>;
  importRecipients(people: AsyncIterable<unknown>, options: ImportOptions): Promise<ImportReport>;
  /** What is done with many emails, on a store that is there already. */
  operations(): Promise<Operations>;
  /** What stands in the broker's dead-letter queue. */
  brokerDeadLetters(): BrokerDeadLetters;
  /** What is wrong now and was lately, on a store that is there already. */
  alerts(): Promise<Pick<Alerts, 'list'>>;
  /** A message by every way that is configured; needs no store. */
  testAlerts(): Promise<ChannelReport[]>;
  schedules(): Promise<ScheduleDesk>;
  /** Events of others that could not be taken. */
  busDeadLetters(): BusDeadLetters;
  /** How much may be sent, on a store that is there already. */
  limits(): Promise<{ rateLimits: RateLimits; quotas: Quotas }>;
  /** The API of this process, asked as root; its refusals are thrown as the errors they are. */
  call: ApiCall;
  /** Into the audit log, as the command line's; false where there is no store to write it in yet. */
  noteAct(act: Act): Promise<boolean>;
  suppressions(): Promise<Suppressions>;
  doctor(): Promise<Finding[]>;
  /** Whether the embedded store has yet to be made, which takes a few seconds. */
  isFresh(): boolean;
  /** Returns once everything asked for runs. */
  serve(options: { roles: readonly Role[]; hold: boolean }): Promise<void>;
  /** Announces itself once it can be reached, before the first line of its log. */
  dev(
    announce: (where: { url: string; smtpPort: number }) => void,
    /** A line for whoever develops: the code of a sign-in. */
    tell: (line: string) => void,
  ): Promise<void>;
  /** Idempotent; also closes the store of an application that never served. */
  stop(options: { deadlineMs: number }): Promise<void>;
}

/** What can be done with recurring emails. */
export type ScheduleDesk = Pick<Schedules, 'list' | 'pause' | 'resume' | 'runNow' | 'runs'>;

export type ApiCall = <Answer>(method: string, path: string, body?: object) => Promise<Answer>;

export interface SendInput {
  to: string | string[];
  subject: string;
  text?: string;
  html?: string;
  from?: string;
}

export interface SendOptions {
  requestId?: string;
  idempotencyKey?: string;
}

export interface Receipt {
  queued: boolean;
  emailId: string;
  requestId: string;
  status: string;
}

export interface TimelineEvent {
  sequence: number;
  type: string;
  createdAt: string;
  metadata: object;
}

export interface Overview {
  byStatus: Record<string, number>;
  /** `byStatus` and what waits for routes are estimates. */
  estimated?: boolean;
  oldestWaitingSeconds: number | null;
  workers: WorkerSeen[];
  pauses: Array<{
    scope: string;
    value: string;
    reason: string | null;
    events?: boolean;
    createdAt: string;
  }>;
  routes: RouteSeen[];
}

export interface RouteSeen {
  name: string;
  /** null for a name that emails wait for and no worker was ever started with. */
  provider: string | null;
  circuit: string;
  opensInMs: number | null;
  reason: string | null;
  ratePerSecond: number | null;
  paused: boolean;
  waiting: number;
}

export interface WorkerSeen {
  name: string;
  host: string;
  pid: number;
  beatAgeMs: number;
  alive: boolean;
}

export interface Finding {
  check: string;
  ok: boolean;
  /** Fine, but something to know about. */
  note?: boolean;
  message: string;
  help?: string;
  code?: string;
}

/** `all` goes with the value ''. */
export type PauseScope = 'all' | 'tenant' | 'type' | 'route';

export type Role = (typeof ROLES)[number];
export const ROLES = ['api', 'worker', 'scheduler', 'smtp'] as const;
/** Without `--roles`: smtp wants a port and a certificate of its own, so it is asked for. */
export const USUAL_ROLES: readonly Role[] = ROLES.filter((role) => role !== 'smtp');
