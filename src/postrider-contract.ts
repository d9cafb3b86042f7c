import type { Access } from './access/index.js';
import type { Alerts } from './alerts/index.js';
import type { BrokerDeadLetters } from './broker-dead-letters.js';
import type { BusDesk } from './bus-dead-letters.js';
import type { ConfigOverrides, Explanation } from './config.js';
import type { EngineState } from './dispatch/index.js';
import type { HookRoom } from './doors/http/hook-room.js';
import type { ResendRooms } from './doors/http/resend/resend-rooms.js';
import type { UnsubscribeRoom } from './doors/http/unsubscribe-room.js';
import type { BusState, Webhooks } from './events/index.js';
import type {
  Accepted,
  AcceptOptions,
  BatchOptions,
  EmailInput,
  ReactEmailInput,
  TypedEmailInput,
} from './intake/index.js';
import type { Clock, Lifecycle, Logger, Mailbox, StopOptions } from './kernel/index.js';
import type { Operations } from './operations.js';
import type { PauseScope, Restored } from './outbox/index.js';
import type { PipelineMetrics } from './pipeline/index.js';
import type { Quotas, RateLimits } from './policy/index.js';
import type { Provider, Route, RouteInput } from './providers/index.js';
import type { Recipients, Suppressions } from './recipients/index.js';
import type { BrandInput, CatalogueType, EmailType, Templates } from './render/index.js';
import type { WorkerState } from './run-worker.js';
import type { FocusContent, Schedule, Schedules } from './schedules/index.js';
import type {
  CallerTransaction,
  Database,
  DatabaseSource,
  MigrationProgress,
  MigrationReport,
  Queryable,
} from './store/index.js';
import type { EmailEvent, EmailLog, Overview } from './views/index.js';

/**
 * Postrider inside an application: `send` in the application's own transaction, `start` to deliver
 * from this process. Nothing is opened before it is needed.
 */
export interface Postrider<Types extends EmailType = CatalogueType> extends Lifecycle, Operations {
  /** Content, a React element, or a declared type with its data. */
  send(email: SendInput<Types>, options?: AcceptOptions): Promise<Accepted>;
  /** All or none; one idempotency key stands for the whole batch, which then is of one company. */
  sendBatch(emails: readonly SendInput<Types>[], options?: BatchOptions): Promise<Accepted[]>;
  /** The same as `send` with scheduledAt. */
  schedule(email: SendInput<Types>, at: Date | string, options?: AcceptOptions): Promise<Accepted>;
  /** Until the attempt has begun. */
  reschedule(emailId: string, at: Date | string, options?: CallOptions): Promise<void>;
  cancel(emailId: string, options?: CallOptions): Promise<EmailLog>;
  get(emailId: string, options?: Pick<CallOptions, 'companyId'>): Promise<EmailLog | null>;
  timeline(emailId: string, options?: Pick<CallOptions, 'companyId'>): Promise<EmailEvent[]>;
  overview(): Promise<Overview>;
  pause(scope: PauseScope, value?: string, reason?: string): Promise<void>;
  resume(scope: PauseScope, value?: string): Promise<number>;
  /** Pauses everything that leaves the store, webhooks, bus events and schedules too, until `resume('all')`. */
  hold(reason?: string): Promise<void>;
  /** For a store restored from a backup: marks what waits as possible duplicates, and holds everything. */
  markRestored(): Promise<Restored>;
  /** A transaction on Postrider's own store; pass what it gives as `{ tx }`. Your own statements fail with the driver's errors. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  migrate(onProgress?: (progress: MigrationProgress) => void): Promise<MigrationReport>;
  /** What stands in the dead-letter queue of the broker, where there is one. */
  readonly brokerDeadLetters: BrokerDeadLetters;
  /** Of the event bus this Postrider takes part in. */
  readonly bus: BusDesk;
  /** Tenants, their keys and senders, operators' accounts, the audit log. */
  readonly access: Access;
  /** A tenant's own content for types: drafts, publishing, versions, preview. */
  readonly templates: Templates;
  /** The people of a tenant: who they are, what they want, when they came. */
  readonly recipients: Recipients;
  /** How often one recipient may get a type of email: reading, setting, asking. */
  readonly rateLimits: RateLimits;
  /** How many emails a company may send per day and month. */
  readonly quotas: Quotas;
  /** Recurring emails: look, pause, run now; `schedules.start()` fires and carries them out in this process. */
  readonly schedules: Schedules;
  /** Where tenants are told what became of their emails; `start()` delivers it from this process. */
  readonly webhooks: Webhooks;
  /** What the routes under /hooks call: reports of providers and mail servers. */
  readonly hooks: HookRoom;
  /** Whom a tenant must not write to. */
  readonly suppressions: Suppressions;
  /** What the page behind unsubscribe links calls; null without POSTRIDER_PUBLIC_URL. */
  readonly unsubscribePage: UnsubscribeRoom | null;
  /** What the Resend API under `/resend` calls. */
  readonly resend: ResendRooms;
  /** Opens the store and changes nothing in it, not even a schema that is missing. */
  connect(): Promise<Database>;
  /**
   * Connects to the store and brings its schema up to date; every call does it when needed, except those
   * that are given a transaction.
   */
  ready(): Promise<Database>;
  /** Every setting: its value, where it came from, its default. Secrets are masked. */
  settings(): Explanation[];
  /** The provider of the first route. */
  readonly provider: Provider;
  readonly routes: readonly Route[];
  readonly metrics: PipelineMetrics;
  /** Ends the worker and the schedules alone; sending goes on until `stop`. */
  stopWorking(options?: StopOptions): Promise<void>;
  /** What is wrong now and was lately; watched from `start()` on, and by every role of `serve`. */
  readonly alerts: Alerts;
  /** Whether the worker of this process holds its lease, and if not, why; null where none was started. */
  workerState(): WorkerState | null;
  /** The state of its engine; null while there is no worker. */
  engine(): EngineState | null;
  /** The state of the bus; null where there is none in this process. */
  busState(): BusState | null;
}

export type SendInput<Types extends EmailType> = EmailInput | ReactEmailInput | TypedEmailInput<Types>;

export interface CallOptions {
  tx?: CallerTransaction | undefined;
  /** Only an email of this company. */
  companyId?: string | undefined;
}

export interface PostriderOptions<Own extends readonly EmailType[] = readonly EmailType[]> {
  /** A PostgreSQL URL, your pg Pool or PGlite instance, or { folder }; else as configured. */
  database?: DatabaseSource;
  /** Settings that win over the environment; see docs/CONFIGURATION.md. */
  config?: ConfigOverrides;
  /** Instead of the provider that EMAIL_MODE names; the only way out, whatever is configured. */
  provider?: Provider;
  /** Several ways out, instead of one; see docs/ROUTES.md. */
  routes?: readonly RouteInput[];
  /** Types of the application's own, made with defineEmail; one of a built-in name replaces it. */
  types?: Own;
  /** Name, logo, colours and footer of emails, instead of those configured; see docs/CONTENT.md. */
  brands?: readonly BrandInput[];
  /** Recurring emails of the application's own, made with defineSchedule; one of a built-in name replaces it. */
  schedules?: readonly Schedule[];
  /** What the weekly focus email is about, instead of what stored activity gives. */
  focusContent?: FocusContent;
  /** For emails that name no sender. */
  from?: Mailbox;
  logger?: Logger;
  clock?: Clock;
}

/** What it is made of besides its settings; any other name is refused. */
export const PARTS = [
  'database',
  'config',
  'provider',
  'routes',
  'types',
  'brands',
  'schedules',
  'focusContent',
  'from',
  'logger',
  'clock',
] satisfies ReadonlyArray<keyof PostriderOptions>;

/** The built-in types and the application's, which win where names are the same. */
export type KnownTypes<Own extends readonly EmailType[]> =
  | Exclude<CatalogueType, { type: Own[number]['type'] }>
  | Own[number];
