import { assembleContent } from './assemble-content.js';
import { assembleRoutes, defaultSender } from './assemble-routes.js';
import { checkEmailId } from './check-email-id.js';
import { type Config, type ConfigOverrides, loadConfig } from './config.js';
import {
  type Accepted,
  type AcceptOptions,
  createIntake,
  type EmailInput,
  type Intake,
  parseDueTime,
  type ReactEmailInput,
  type TypedEmailInput,
} from './intake/index.js';
import {
  type Clock,
  createLogger,
  delay,
  isUuid,
  type Lifecycle,
  type Logger,
  type Mailbox,
  PostriderError,
  type StopOptions,
  systemClock,
  systemRandomness,
} from './kernel/index.js';
import {
  cancelEmail,
  type PauseScope,
  pauseSending,
  rescheduleEmail,
  resumeSending,
} from './outbox/index.js';
import { createPipelineMetrics, type PipelineMetrics } from './pipeline/index.js';
import type { Provider, Route, RouteInput } from './providers/index.js';
import { type CatalogueType, type EmailType, renderReact, type Templates } from './render/index.js';
import type { RunningWorker } from './run-worker.js';
import {
  callerTransaction,
  checkSchema,
  type Database,
  type DatabaseSource,
  type MigrationReport,
  migrate,
  openDatabase,
  type Queryable,
} from './store/index.js';
import {
  type EmailEvent,
  type EmailLog,
  findEmailLog,
  listEmailEvents,
  type Overview,
  readOverview,
} from './views/index.js';

/**
 * Postrider inside an application: `send` in the application's own transaction, `start` to deliver
 * from this process. Nothing is opened before it is needed.
 */
export interface Postrider<Types extends EmailType = CatalogueType> extends Lifecycle {
  /** Content, a React element, or a declared type with its data. */
  send(email: SendInput<Types>, options?: AcceptOptions): Promise<Accepted>;
  /** All or none. */
  sendBatch(
    emails: readonly SendInput<Types>[],
    options?: Omit<AcceptOptions, 'idempotencyKey'>,
  ): Promise<Accepted[]>;
  /** The same as `send` with scheduledAt. */
  schedule(email: SendInput<Types>, at: Date | string, options?: AcceptOptions): Promise<Accepted>;
  /** Until the attempt has begun. */
  reschedule(emailId: string, at: Date | string, options?: CallOptions): Promise<void>;
  cancel(emailId: string, options?: CallOptions): Promise<EmailLog>;
  get(emailId: string): Promise<EmailLog | null>;
  timeline(emailId: string): Promise<EmailEvent[]>;
  overview(): Promise<Overview>;
  pause(scope: PauseScope, value?: string, reason?: string): Promise<void>;
  resume(scope: PauseScope, value?: string): Promise<number>;
  /** A transaction on Postrider's own store; pass what it gives as `{ tx }`. */
  transaction<T>(work: (tx: Queryable) => Promise<T>): Promise<T>;
  migrate(onProgress?: (name: string) => void): Promise<MigrationReport>;
  /** A tenant's own content for types: drafts, publishing, versions, preview. */
  readonly templates: Templates;
  /** Connects to the store and brings its schema up to date; every call does it when needed. */
  ready(): Promise<Database>;
  /** The provider of the first route. */
  readonly provider: Provider;
  readonly routes: readonly Route[];
  readonly metrics: PipelineMetrics;
  /** Ends the worker alone; sending goes on until `stop`. */
  stopWorking(options?: StopOptions): Promise<void>;
  /** Whether the worker of this process holds its lease. */
  working(): boolean;
}

export type SendInput<Types extends EmailType> = EmailInput | ReactEmailInput | TypedEmailInput<Types>;

export interface CallOptions {
  tx?: unknown;
  /** Only an email of this company. */
  companyId?: string;
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
  /** For emails that name no sender. */
  from?: Mailbox;
  logger?: Logger;
  clock?: Clock;
}

export function createPostrider<const Own extends readonly EmailType[] = readonly []>({
  config,
  ...parts
}: PostriderOptions<Own> = {}): Postrider<KnownTypes<Own>> {
  return assemblePostrider(loadConfig({ overrides: config }), parts) as Postrider<KnownTypes<Own>>;
}

/** The built-in types and the application's, which win where names are the same. */
export type KnownTypes<Own extends readonly EmailType[]> =
  | Exclude<CatalogueType, { type: Own[number]['type'] }>
  | Own[number];

/** The same from a configuration that was loaded before. */
export function assemblePostrider(config: Config, options: Omit<PostriderOptions, 'config'> = {}): Postrider {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger({ level: config.log.level });
  const table = assembleRoutes(config, { routes: options.routes, provider: options.provider, clock, logger });
  const sender = options.from ?? defaultSender(config);
  const metrics = createPipelineMetrics();
  let opening: Promise<Database> | null = null;
  let prepared: Promise<Database> | null = null;
  let worker: RunningWorker | null = null;
  let starting: Promise<void> | null = null;
  let stopping = false;
  let stopped = false;

  /** A failure is not remembered: the next call tries again. */
  function open(): Promise<Database> {
    if (stopped) return Promise.reject(new PostriderError('STOPPED', 'Postrider has been stopped.'));
    opening ??= openDatabase(options.database ?? config.database.url ?? { folder: config.database.dataDir }, {
      poolSize: config.database.poolSize,
      prepare: config.database.prepare,
      logger,
    }).catch((error: unknown) => {
      opening = null;
      throw error;
    });
    return opening;
  }

  function ready(): Promise<Database> {
    if (stopped) return open();
    prepared ??= open()
      .then(async (database) => {
        await bringUpToDate(database);
        return database;
      })
      .catch((error: unknown) => {
        prepared = null;
        throw error;
      });
    return prepared;
  }

  const content = assembleContent(config, { types: options.types ?? [], database: ready, clock, logger });
  const intakes = new WeakMap<Database, Intake>();
  async function intake(tx: unknown): Promise<Intake> {
    // With a caller's transaction nothing else may be waited for: on one connection it would wait for itself.
    const database = tx === undefined ? await ready() : await open();
    const known = intakes.get(database);
    if (known) return known;
    const made = createIntake({
      database,
      clock,
      defaultTenant: config.email.defaultCompany,
      hasSender: sender !== null,
      retryPreset: config.retry.preset,
      maxAttempts: config.retry.maxAttempts,
      chooseRoute: (email) => table.choose(email, systemRandomness),
      allowedDomains: config.email.allowedDomains,
      content: content.forStore(database.prompt()),
      onAccepted: () => worker?.ring(),
    });
    intakes.set(database, made);
    return made;
  }

  async function startWorker(): Promise<void> {
    const { createRunningWorker } = await import('./run-worker.js');
    if (stopping) return;
    worker = createRunningWorker({
      database: ready,
      config,
      routes: table,
      sender,
      metrics,
      clock,
      random: systemRandomness,
      logger,
    });
    await worker.start();
  }

  async function stopWorking(stopOptions?: StopOptions): Promise<void> {
    stopping = true;
    await worker?.stop({ deadlineMs: config.worker.stopDeadlineMs, ...stopOptions });
  }

  const prompt = async (): Promise<Database> => (await ready()).prompt();
  const target = async (tx: unknown): Promise<Queryable> =>
    tx === undefined ? prompt() : callerTransaction(tx);

  return {
    provider: table.routes[0]!.provider,
    routes: table.routes,
    metrics,
    templates: content.templates,
    ready,
    working: () => worker?.alive() ?? false,
    async send(email, accept = {}) {
      return (await intake(accept.tx)).accept(await renderReact(email), accept);
    },
    async sendBatch(emails, accept = {}) {
      return (await intake(accept.tx)).acceptBatch(
        await Promise.all(emails.map((email) => renderReact(email))),
        accept,
      );
    },
    async schedule(email, at, accept = {}) {
      return (await intake(accept.tx)).accept({ ...(await renderReact(email)), scheduledAt: at }, accept);
    },
    async reschedule(emailId, at, { tx, companyId } = {}) {
      checkEmailId(emailId, companyId);
      const dueAt = parseDueTime(at, 'at', clock.now());
      await rescheduleEmail(await target(tx), emailId, dueAt, { tenant: companyId });
    },
    async cancel(emailId, { tx, companyId } = {}) {
      checkEmailId(emailId, companyId);
      const database = await target(tx);
      await cancelEmail(database, emailId, { tenant: companyId });
      const log = await findEmailLog(database, emailId);
      if (!log)
        throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${emailId}.`, { field: 'emailId' });
      return log;
    },
    get: async (emailId) => (isUuid(emailId) ? findEmailLog(await prompt(), emailId) : null),
    timeline: async (emailId) => (isUuid(emailId) ? listEmailEvents(await prompt(), emailId) : []),
    overview: async () => readOverview(await ready()),
    async pause(scope, value = '', reason) {
      await pauseSending(await ready(), scope, value, { reason, by: 'caller' });
    },
    resume: async (scope, value = '') => resumeSending(await ready(), scope, value),
    transaction: async (work) => (await ready()).transaction(work),
    migrate: async (onProgress) => migrate(await open(), onProgress),
    start() {
      starting ??= startWorker();
      return starting;
    },
    stopWorking,
    async stop(stopOptions) {
      if (stopped) return;
      await stopWorking(stopOptions);
      await Promise.all(table.routes.map((route) => route.provider.close()));
      stopped = true;
      const database = await opening?.catch(() => null);
      const over = new AbortController();
      // A server that hangs answers no goodbye.
      await Promise.race([database?.close(), delay(CLOSE_WITHIN_MS, over.signal)]);
      over.abort();
    },
  };
}

const CLOSE_WITHIN_MS = 5000;

/** Runs migrations only when they are missing, so that a role without the right to alter can work. */
async function bringUpToDate(database: Database): Promise<void> {
  try {
    await checkSchema(database.prompt());
  } catch (error) {
    if (!(error instanceof PostriderError) || error.code !== 'STORE_NOT_MIGRATED') throw error;
    await migrate(database);
  }
}
