import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { busDeadLetters } from './assemble-bus.js';
import { callOwnApi, noteAct } from './call-own-api.js';
import { checkEmailId } from './check-email-id.js';
import { type Config, withChanges } from './config.js';
import { examine, startWarnings } from './doctor.js';
import type { Application } from './doors/cli/application.js';
import type { HttpServer } from './doors/http/index.js';
import type { Inbox, Sink } from './doors/inbox/index.js';
import type { Preview } from './doors/preview/index.js';
import type { SmtpDoor } from './doors/smtp/index.js';
import { inRegion } from './in-region.js';
import {
  type Clock,
  createLogger,
  type Logger,
  type Mailbox,
  messageOf,
  PostriderError,
  silentLogger,
  systemClock,
} from './kernel/index.js';
import { loadTypes } from './load-types.js';
import { assemblePostrider, type Postrider, type PostriderOptions } from './postrider.js';
import { createSmtpProvider } from './providers/index.js';
import { assembleRegions } from './regions.js';
import type { Regions } from './regions-contract.js';
import { catalogue } from './render/index.js';
import { smtpRooms } from './smtp-rooms.js';
import { checkSchema } from './store/index.js';

/**
 * The application as a process: the only file that knows everyone. It opens what a command needs, loads a door only
 * where it is opened, and closes everything it opened.
 */
export async function openApplication(config: Config): Promise<Application> {
  const logger = createLogger({ level: config.log.level });
  const ground = { logger, clock: systemClock };
  const ownTypes = await loadTypes(config.render.types);
  let postrider: Postrider | null = null;
  let regions: Regions | null = null;
  let server: HttpServer | null = null;
  let sink: Sink | null = null;
  let smtpDoor: SmtpDoor | null = null;
  let preview: Preview | null = null;
  let stopped: Promise<void> | null = null;

  const own = (): Postrider => {
    const parts = { logger, types: ownTypes?.types ?? [] };
    if (config.regions && !regions) regions = assembleRegions(config, parts);
    postrider ??= regions?.in(regions.home) ?? assemblePostrider(config, parts);
    return postrider;
  };
  /** Where emails are sent and found: in the one store, or whichever region it is. */
  const front = (): Pick<Postrider, 'send' | 'sendBatch' | 'get' | 'timeline' | 'migrate'> => {
    const home = own();
    return regions ?? home;
  };
  const atHome = () => (own() && regions ? inRegion(config, regions.home) : config);
  const stores = (): Postrider[] => regions?.names.map((name) => regions!.in(name)) ?? [own()];
  // One-shot commands learn at once that the store is locked or away.
  const opened = async (): Promise<Postrider> => {
    await inFolder(config, () => own().ready());
    return own();
  };
  const fresh = () =>
    config.regions === null &&
    config.database.url === null &&
    !existsSync(join(config.database.dataDir, 'pgdata'));
  // What only looks or holds back makes no store and no schema.
  const existing = async (): Promise<Postrider> => {
    if (fresh())
      throw new PostriderError('STORE_NOT_MIGRATED', `There is no data in ${config.database.dataDir} yet.`);
    await checkSchema((await inFolder(config, () => own().connect())).prompt());
    return own();
  };

  async function listen(options: {
    host: string;
    inbox?: Inbox;
    preview?: Preview;
    apiKey: string | null;
  }): Promise<HttpServer> {
    const { createHttpApp, startHttpServer } = await import('./doors/http/index.js');
    const { httpParts } = await import('./regional-rooms.js');
    const app = createHttpApp({
      ...httpParts(regions ?? own()),
      logger: sparing(logger, systemClock),
      clock: systemClock,
      apiKey: options.apiKey,
      trustedProxies: config.http.trustedProxies,
      bodyLimitBytes: config.http.bodyLimitBytes,
      inbox: options.inbox,
      preview: options.preview,
    });
    server = await startHttpServer({ ...config.http, app, host: options.host });
    return server;
  }

  async function stop(deadlineMs: number): Promise<void> {
    preview?.stop();
    const running = postrider ? stores() : [];
    // Together and under one deadline: a slow request must not let the worker claim on.
    await Promise.all(
      [server, smtpDoor, ...running.map((one) => ({ stop: one.stopWorking }))].map((part) =>
        part?.stop({ deadlineMs }),
      ),
    );
    await Promise.all(running.map((one) => one.stop({ deadlineMs: 0 })));
    await sink?.stop();
  }

  return {
    async send(input, options) {
      await opened();
      return front().send(input, options);
    },
    async get(emailId) {
      await existing();
      const log = await front().get(checkEmailId(emailId));
      return log ? { ...log } : null;
    },
    async timeline(emailId) {
      await existing();
      return front().timeline(checkEmailId(emailId));
    },
    overview: async () => (await existing()).overview(),
    templates: async () => (await opened()).templates,
    migrate: (onProgress) => inFolder(config, () => front().migrate(onProgress)),
    async markRestored() {
      await existing();
      const marked = { possibleDuplicates: 0, unknown: 0 };
      for (const store of stores()) {
        const { possibleDuplicates, unknown } = await store.markRestored();
        marked.possibleDuplicates += possibleDuplicates;
        marked.unknown += unknown;
      }
      return marked;
    },
    pause: async (scope, value, reason) => (await existing()).pause(scope, value, reason ?? undefined),
    async resume(scope, value) {
      const store = await existing();
      const { pauses } = await store.overview();
      await store.resume(scope, value);
      return pauses.filter((pause) => pause.scope === scope && pause.value === value).length;
    },
    importRecipients: async (people, options) => (await opened()).recipients.importAll(people, options),
    suppressions: async () => (await opened()).suppressions,
    async operations() {
      const home = await existing();
      return regions ? { ...home, erase: regions.erase } : home;
    },
    brokerDeadLetters: () => own().brokerDeadLetters,
    alerts: async () => (await existing()).alerts,
    testAlerts: () => own().alerts.test(),
    schedules: async () => (await opened()).schedules,
    limits: existing,
    busDeadLetters: () => busDeadLetters(atHome(), silentLogger),
    noteAct: (act) => noteAct(existing, act),
    call: callOwnApi(async () => {
      const home = await opened();
      return regions ?? home;
    }),
    async doctor() {
      const findings = await examine({ config: atHome(), postrider: own(), fresh: fresh() });
      for (const region of regions?.names ?? [])
        if (region !== regions!.home)
          findings.push(
            ...(await examine({
              ...{ config: inRegion(config, region), postrider: regions!.in(region) },
              ...{ fresh: false, region },
            })),
          );
      return findings;
    },
    isFresh: fresh,
    async serve({ roles, hold }) {
      own();
      if (hold) for (const store of stores()) await store.hold('held at start');
      for (const warning of startWarnings(config, own())) logger.warn({}, warning);
      for (const store of stores()) await warnWhenAway(() => inFolder(config, () => store.ready()), logger);
      // Before the API listens, so that it is not ready without a lease.
      // Each for itself: a region whose database is away keeps no other waiting.
      const working = Promise.all(
        stores().map(async (store) => {
          if (roles.includes('worker')) await store.start();
          if (roles.includes('scheduler')) await store.schedules.start();
        }),
      );
      // In every role, so that a process without a worker tells that none is alive.
      for (const store of stores()) await store.alerts.start();
      // It is awaited below, when the others have begun.
      working.catch(() => undefined);
      if (roles.includes('api')) {
        const { port } = await listen({ host: config.http.host, apiKey: config.http.apiKey });
        logger.info({ host: config.http.host, port }, 'API listening');
      }
      if (roles.includes('smtp')) {
        const { startSmtpDoor } = await import('./doors/smtp/index.js');
        smtpDoor = await startSmtpDoor({
          ...smtpRooms(own(), front()),
          settings: config.submission,
          ...ground,
        });
        logger.info({ host: config.submission.host, port: smtpDoor.port }, 'SMTP listening');
      }
      await working;
    },
    async dev(announce, tell) {
      if (config.regions)
        throw new PostriderError('INVALID_CONFIG', ONE_STORE, { field: 'POSTRIDER_REGIONS' });
      const directory = join(config.database.dataDir, 'inbox');
      const { createInbox } = await import('./doors/inbox/index.js');
      const { createPreview } = await import('./doors/preview/index.js');
      const inbox = await inFolder(config, () => createInbox({ directory, clock: systemClock, logger }));
      sink = await inbox.startSink({ host: LOOPBACK, port: config.dev.smtpPort });
      const types = ownTypes?.types ?? [];
      postrider = assemblePostrider(withDevLinks(config), {
        ...{ logger, types, ...devDelivery(config, sink.port) },
        onSignInCode: ({ to, code }) => tell(`The code of ${to} is ${code}.`),
      });
      await opened();
      preview = createPreview({
        ...{ types: catalogue, own: ownTypes, clock: systemClock, logger },
        ...{ appUrl: config.render.appUrl, brands: config.brands ?? [] },
      });
      const { port } = await listen({ host: LOOPBACK, inbox, preview, apiKey: null });
      announce({ url: `http://${LOOPBACK}:${port}`, smtpPort: sink.port });
      await own().start();
      await own().schedules.start();
    },
    stop({ deadlineMs }) {
      stopped ??= stop(deadlineMs);
      return stopped;
    },
  };
}

const LOOPBACK = '127.0.0.1';
const ONE_STORE = 'Development has one store; leave POSTRIDER_REGIONS out.';

/** Without a server named, everything goes to the process's own inbox. */
function devDelivery(config: Config, sinkPort: number): Pick<PostriderOptions, 'from' | 'provider'> {
  const name = config.email.fromName ?? undefined;
  const from: Mailbox = {
    address: config.email.fromEmail ?? 'noreply@example.com',
    ...(name ? { name } : {}),
  };
  if (leavesMachine(config)) return { from };
  const provider = createSmtpProvider(
    { host: LOOPBACK, port: sinkPort, maxConnections: 5 },
    { clock: systemClock },
  );
  return { from, provider };
}

function leavesMachine({ smtp, email }: Config): boolean {
  return smtp.host !== null || email.mode === 'resend' || email.mode === 'ses';
}

/** What stays in the inbox leads back to this process, so that unsubscribing can be tried. */
function withDevLinks(config: Config): Config {
  const { publicUrl, keys } = config.unsubscribe;
  if (publicUrl !== null || config.http.port === 0 || leavesMachine(config)) return config;
  const unsubscribe = {
    publicUrl: `http://${LOOPBACK}:${config.http.port}`,
    // Nobody but who reads the inbox anyway can use it.
    keys: keys ?? 'postrider development',
  };
  return withChanges(config, { unsubscribe }, 'postrider dev');
}

/** A store that is away at start is no reason to exit: the API answers 503 and the worker keeps trying. */
async function warnWhenAway(ready: () => Promise<unknown>, logger: Logger): Promise<void> {
  try {
    await ready();
  } catch (error) {
    if (!(error instanceof PostriderError) || error.code !== 'STORE_UNAVAILABLE') throw error;
    logger.warn({ err: messageOf(error) }, 'the database is away; carrying on when it is back');
  }
}

/** What cannot be written in the data folder is a matter of configuration. */
async function inFolder<T>({ database }: Config, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const { code = '', path } = error as NodeJS.ErrnoException;
    if (path === undefined || !UNWRITABLE.has(code)) throw error;
    const message = `The data folder ${database.dataDir} cannot be written (${code}); set POSTRIDER_DATA_DIR.`;
    throw new PostriderError('INVALID_CONFIG', message, { field: 'POSTRIDER_DATA_DIR', cause: error });
  }
}

const UNWRITABLE = new Set(['EACCES', 'EPERM', 'EROFS', 'ENOTDIR', 'EEXIST', 'ENOSPC']);

/** Of the requests refused while the database is away one line a second, with how many more there were since the last. */
export function sparing(logger: Logger, clock: Clock): Logger {
  let saidAt = Number.NEGATIVE_INFINITY;
  let unsaid = 0;
  return {
    debug: (fields, message) => logger.debug(fields, message),
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error(fields, message) {
      if ((fields as { code?: unknown }).code !== 'STORE_UNAVAILABLE') return logger.error(fields, message);
      if (clock.monotonic() - saidAt < 1000) {
        unsaid += 1;
        return;
      }
      logger.error(unsaid > 0 ? { ...fields, unsaid } : fields, message);
      saidAt = clock.monotonic();
      unsaid = 0;
    },
    child: (fields) => sparing(logger.child(fields), clock),
  };
}
