import { createAcceptFaults } from './accept-faults.js';
import { accessFrom, assembleAccess, assembleSenderRules, type HomeRegion } from './assemble-access.js';
import { assembleAlerts } from './assemble-alerts.js';
import { assembleAmqp } from './assemble-amqp.js';
import { assembleBus, assembleBusDesk } from './assemble-bus.js';
import { assembleContent } from './assemble-content.js';
import { assembleHooks } from './assemble-hooks.js';
import { assemblePolicy } from './assemble-policy.js';
import { assembleResend } from './assemble-resend.js';
import { assembleRoutes, defaultSender } from './assemble-routes.js';
import { assembleSchedules } from './assemble-schedules.js';
import { assembleSuppression } from './assemble-suppression.js';
import { assembleWebhooks } from './assemble-webhooks.js';
import { checkEmailId } from './check-email-id.js';
import { closeStore } from './close-store.js';
import { type Config, explain, loadConfig } from './config.js';
import {
  BATCH_OPTIONS,
  createIntake,
  type Intake,
  parseDueTime,
  SEND_OPTIONS,
  traceIntake,
} from './intake/index.js';
import {
  createLogger,
  isUuid,
  loadTracing,
  PostriderError,
  refuseUnknownKeys,
  type StopOptions,
  systemClock,
  systemRandomness,
} from './kernel/index.js';
import { createOperations } from './operations.js';
import {
  cancelEmail,
  createHoldReader,
  markRestored,
  pauseSending,
  rescheduleEmail,
  resumeSending,
} from './outbox/index.js';
import { createPipelineMetrics } from './pipeline/index.js';
import { type KnownTypes, PARTS, type Postrider, type PostriderOptions } from './postrider-contract.js';
import { prepareStore } from './prepare-store.js';
import { createRecipients } from './recipients/index.js';
import { type EmailType, renderReact } from './render/index.js';
import type { RunningWorker } from './run-worker.js';
import {
  callerTransaction,
  checkStoreRegion,
  type Database,
  migrate,
  openDatabase,
  type Queryable,
  withDriverErrors,
} from './store/index.js';
import { findEmailLog, listEmailEvents, readOverview } from './views/index.js';

export type {
  CallOptions,
  KnownTypes,
  Postrider,
  PostriderOptions,
  SendInput,
} from './postrider-contract.js';

/** Makes a Postrider from options and the environment; see postrider-contract.ts for what it can do. */
export function createPostrider<const Own extends readonly EmailType[] = readonly []>({
  config,
  ...parts
}: PostriderOptions<Own> = {}): Postrider<KnownTypes<Own>> {
  refuseUnknownKeys(parts, PARTS, 'INVALID_CONFIG');
  return assemblePostrider(loadConfig({ overrides: config }), parts) as Postrider<KnownTypes<Own>>;
}

export interface AssemblyOptions extends Omit<PostriderOptions, 'config'> {
  /** Development only: told the codes it sends to operators. */
  onSignInCode?(code: { to: string; code: string }): void;
  /** One of several: its store bears its name, and its tenants are at home, or here where home is null. */
  regional?: { home: HomeRegion | null };
}

/** The same from a configuration that was loaded before. */
export function assemblePostrider(config: Config, options: AssemblyOptions = {}): Postrider {
  const clock = options.clock ?? systemClock;
  const logger = options.logger ?? createLogger({ level: config.log.level });
  const table = assembleRoutes(config, { routes: options.routes, provider: options.provider, clock, logger });
  const sender = defaultSender(config, options.from);
  const metrics = createPipelineMetrics();
  const home = options.regional?.home ?? null;
  const region = options.regional ? config.database.region : null;
  let opening: Promise<Database> | null = null;
  let prepared: Promise<Database> | null = null;
  let worker: RunningWorker | null = null;
  let starting: Promise<void> | null = null;
  let stopping = false;
  let stopped = false;

  /** A failure is not remembered: the next call tries again. */
  function open(): Promise<Database> {
    if (stopped) return Promise.reject(new PostriderError('STOPPED', 'Postrider has been stopped.'));
    const source = options.database ?? config.database.url ?? { folder: config.database.dataDir };
    const { poolSize, prepare, patienceMs } = config.database;
    opening ??= Promise.all([
      openDatabase(source, { poolSize, prepare, patienceMs, logger }),
      loadTracing(logger),
    ])
      .then(([database]) => database)
      .catch((error: unknown) => {
        opening = null;
        throw error;
      });
    return opening;
  }

  function ready(): Promise<Database> {
    if (stopped) return open();
    prepared ??= open()
      .then((database) => prepareStore(database, { region, logger }))
      .then((database) => content.declareTo(database))
      .catch((error: unknown) => {
        prepared = null;
        throw error;
      });
    return prepared;
  }

  const content = assembleContent(config, {
    ...{ types: options.types ?? [], brands: options.brands },
    ...{ database: ready, clock, logger },
  });
  const policy = assemblePolicy(config, { registry: content.registry, database: ready, clock, logger });
  const suppression = assembleSuppression(config, { database: ready, clock, region });
  const intakes = new WeakMap<Database, Intake>();
  const faults = createAcceptFaults(clock);
  async function intake(tx: unknown): Promise<Intake> {
    // With a caller's transaction nothing else may be waited for: on one connection it would wait for itself.
    const database = tx === undefined ? await ready() : await open();
    if (tx !== undefined && region !== null) await checkStoreRegion(callerTransaction(tx), region);
    const known = intakes.get(database);
    if (known) return known;
    const made = createIntake({
      database,
      clock,
      defaultTenant: config.email.defaultCompany,
      hasSender: sender !== null,
      maxAttachmentBytes: config.email.maxAttachmentBytes,
      ...{ region: config.database.region, retryPreset: config.retry.preset },
      maxAttempts: config.retry.maxAttempts,
      chooseRoute: (email) => table.choose({ ...email, region: config.database.region }, systemRandomness),
      allowedDomains: config.email.allowedDomains,
      content: content.forStore(database.prompt()),
      senders: assembleSenderRules(config, { database, clock, logger, home }),
      rules: policy.rulesOf(database),
      kindOf: (type) => content.registry.find(type) ?? null,
      unsubscribeUrl: suppression.unsubscribeUrl,
      suppressions: suppression.reader,
      onAccepted: () => worker?.ring(),
    });
    const traced = faults.watch(traceIntake(made));
    intakes.set(database, traced);
    return traced;
  }

  const isHeld = createHoldReader(ready, clock);
  const ownIntake = () => intake(undefined);
  const schedules = assembleSchedules(config, {
    own: options.schedules,
    focusContent: options.focusContent,
    database: ready,
    isHeld,
    intake: ownIntake,
    suppression,
    logger,
  });

  async function startWorker(): Promise<void> {
    const { createRunningWorker } = await import('./run-worker.js');
    if (stopping) return;
    worker = createRunningWorker({
      ...{ database: ready, config, routes: table, sender, clock, random: systemRandomness, logger },
      metrics: {
        ...metrics,
        delivered(seconds, email) {
          metrics.delivered(seconds, email);
          alerts.noteDelivered(email);
        },
      },
      unsubscribeUrl: suppression.unsubscribeUrl,
      ...{ onOwed: webhookSender.ring, onOwedForAnother: webhookSender.ringLater },
      receiveForeign: amqp.receiveForeign,
    });
    // Before the worker, which waits for a database that is away.
    await alerts.start();
    await worker.start();
    if (stopping) return;
    await Promise.all([webhookSender.start(), bus.start()]);
  }

  async function stopWorking(stopOptions?: StopOptions): Promise<void> {
    stopping = true;
    const limits = { deadlineMs: config.worker.stopDeadlineMs, ...stopOptions };
    await Promise.all([worker, schedules, webhookSender, bus, alerts].map((part) => part?.stop(limits)));
  }

  const sendWithin = async (email: object, tx: Queryable) => (await intake(tx)).accept(email, { tx });
  const own = assembleAccess(config, {
    ...{ database: ready, send: sendWithin, onCode: options.onSignInCode, clock, logger },
  });
  const access = accessFrom(home, own);
  const { webhooks, webhookSender, complete } = assembleWebhooks(config, {
    ...{ database: ready, isHeld, access, atHome: home === null, send: sendWithin, sender },
    ...{ clock, random: systemRandomness, logger },
  });
  const bus = assembleBus(config, {
    database: ready,
    isHeld,
    intake: ownIntake,
    complete,
    metrics,
    clock,
    logger,
  });
  const recipients = createRecipients({ database: ready, clock, defaultTenant: config.email.defaultCompany });
  const operations = createOperations(ready, clock, policy.forgetRecipient);
  const amqp = assembleAmqp(config, { ...operations, intake: ownIntake, logger });
  const workerState = () =>
    worker?.state() ?? (starting && { up: false, message: 'no lease: it is beginning' });
  const engineState = () => worker?.engine() ?? null;
  const alerts = assembleAlerts(config, {
    database: ready,
    facts: () => ({ worker: workerState(), engine: engineState(), bus: bus.state() }),
    ...{ faults, schedules, routes: table, sender, clock, random: systemRandomness, logger },
  });
  const prompt = async (): Promise<Database> => (await ready()).prompt();
  const target = async (tx: unknown): Promise<Queryable> =>
    tx === undefined ? prompt() : callerTransaction(tx);

  return {
    provider: table.routes[0]!.provider,
    routes: table.routes,
    metrics,
    settings: () => explain(config),
    templates: content.templates,
    suppressions: suppression.suppressions,
    unsubscribePage: suppression.page,
    recipients,
    access,
    rateLimits: policy.rateLimits,
    quotas: policy.quotas,
    schedules,
    resend: assembleResend(config, {
      ...{ database: ready, tenants: home?.database ?? ready, intake: ownIntake, clock },
      ...{ access, suppression, recipients, ring: schedules.ring, webhooks },
      usualDomain: sender?.address.split('@').at(-1)?.toLowerCase() ?? '',
    }),
    webhooks,
    hooks: assembleHooks(config, { database: ready, suppressions: suppression.suppressions, clock }),
    connect: open,
    ready,
    alerts,
    workerState,
    engine: engineState,
    busState: bus.state,
    async send(email, accept = {}) {
      refuseUnknownKeys(accept, SEND_OPTIONS, 'INVALID_PAYLOAD');
      return (await intake(accept.tx)).accept(await renderReact(email), accept);
    },
    async sendBatch(emails, accept = {}) {
      refuseUnknownKeys(accept, BATCH_OPTIONS, 'INVALID_PAYLOAD');
      return (await intake(accept.tx)).acceptBatch(
        await Promise.all(emails.map((email) => renderReact(email))),
        accept,
      );
    },
    async schedule(email, at, accept = {}) {
      refuseUnknownKeys(accept, SEND_OPTIONS, 'INVALID_PAYLOAD');
      const dueAt = parseDueTime(at, 'scheduledAt', clock.now());
      return (await intake(accept.tx)).accept({ ...(await renderReact(email)), scheduledAt: dueAt }, accept);
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
    async get(emailId, { companyId } = {}) {
      return isUuid(emailId) ? findEmailLog(await prompt(), emailId, { tenant: companyId }) : null;
    },
    async timeline(emailId, { companyId } = {}) {
      return isUuid(emailId) ? listEmailEvents(await prompt(), emailId, { tenant: companyId }) : [];
    },
    overview: async () => readOverview(await ready()),
    ...operations,
    brokerDeadLetters: amqp.brokerDeadLetters,
    bus: assembleBusDesk(config, operations, logger),
    async pause(scope, value = '', reason) {
      await pauseSending(await ready(), scope, value, { reason, by: 'caller' });
    },
    async hold(reason) {
      await pauseSending(await ready(), 'all', '', { reason, by: 'caller', events: true });
    },
    markRestored: async () => markRestored(await ready()),
    resume: async (scope, value = '') => resumeSending(await ready(), scope, value),
    transaction: async (work) => (await ready()).transaction((tx) => work(withDriverErrors(tx))),
    migrate: async (onProgress) => migrate(await open(), { onProgress }),
    start() {
      // A start that was refused leaves nothing running and is not remembered: what was wrong may have been put right.
      starting ??= startWorker().catch(async (error: unknown) => {
        await Promise.all([worker, webhookSender, alerts].map((part) => part?.stop({ deadlineMs: 0 })));
        starting = null;
        throw error;
      });
      return starting;
    },
    stopWorking,
    async stop(stopOptions) {
      if (stopped) return;
      await stopWorking(stopOptions);
      await Promise.all(table.routes.map((route) => route.provider.close()));
      stopped = true;
      // A store that could not be opened was reported to whoever asked for it; there is nothing to close.
      await closeStore((await opening?.catch(() => null)) ?? null);
    },
  };
}
