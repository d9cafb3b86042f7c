import { join } from 'node:path';
import type { Config } from './config.js';
import { examine } from './doctor.js';
import type { Application } from './doors/cli/application.js';
import { createHttpApp, type HttpServer, startHttpServer } from './doors/http/index.js';
import { createInbox, type Inbox, type Sink } from './doors/inbox/index.js';
import { createPreview, type Preview } from './doors/preview/index.js';
import { checkEmailId, httpRooms } from './http-rooms.js';
import {
  createLogger,
  type Logger,
  type Mailbox,
  messageOf,
  PostriderError,
  systemClock,
} from './kernel/index.js';
import { assemblePostrider, type Postrider, type PostriderOptions } from './postrider.js';
import { createSmtpProvider } from './providers/index.js';
import { catalogue } from './render/index.js';

/**
 * The application as a process: the only file that knows everyone. It opens what a command needs
 * and closes everything it opened.
 */
export async function openApplication(config: Config): Promise<Application> {
  const logger = createLogger({ level: config.log.level });
  let postrider: Postrider | null = null;
  let server: HttpServer | null = null;
  let sink: Sink | null = null;
  let preview: Preview | null = null;
  let stopped: Promise<void> | null = null;

  const own = (): Postrider => {
    postrider ??= assemblePostrider(config, { logger });
    return postrider;
  };
  // One-shot commands learn at once that the store is locked or away.
  const opened = async (): Promise<Postrider> => {
    await own().ready();
    return own();
  };

  async function listen(options: {
    host: string;
    inbox?: Inbox;
    preview?: Preview;
    apiKey: string | null;
  }): Promise<HttpServer> {
    const app = createHttpApp({
      rooms: httpRooms(own()),
      logger,
      clock: systemClock,
      apiKey: options.apiKey,
      bodyLimitBytes: config.http.bodyLimitBytes,
      inbox: options.inbox,
      preview: options.preview,
    });
    server = await startHttpServer({ app, host: options.host, port: config.http.port });
    return server;
  }

  async function stop(deadlineMs: number): Promise<void> {
    preview?.stop();
    // Together and under one deadline: a slow request must not let the worker claim on.
    await Promise.all([server?.stop({ deadlineMs }), postrider?.stopWorking({ deadlineMs })]);
    await postrider?.stop({ deadlineMs: 0 });
    await sink?.stop();
  }

  return {
    send: async (input, options) => (await opened()).send(input, options),
    async get(emailId) {
      const log = await (await opened()).get(checkEmailId(emailId));
      return log ? { ...log } : null;
    },
    timeline: async (emailId) => (await opened()).timeline(checkEmailId(emailId)),
    overview: async () => (await opened()).overview(),
    migrate: (onProgress) => own().migrate(onProgress),
    pause: async (scope, value, reason) => (await opened()).pause(scope, value, reason ?? undefined),
    async resume(scope, value) {
      const store = await opened();
      const { pauses } = await store.overview();
      await store.resume(scope, value);
      return pauses.filter((pause) => pause.scope === scope && pause.value === value).length;
    },
    doctor: () => examine({ config, postrider: own() }),
    async serve({ roles, hold }) {
      if (hold) await (await opened()).pause('all', '', 'held at start');
      if (roles.includes('api')) {
        const { port } = await listen({ host: config.http.host, apiKey: config.http.apiKey });
        logger.info({ host: config.http.host, port }, 'API listening');
      }
      await warnWhenAway(own(), logger);
      if (roles.includes('worker')) await own().start();
    },
    async dev() {
      const inbox = await createInbox({
        directory: join(config.database.dataDir, 'inbox'),
        clock: systemClock,
        logger,
      });
      sink = await inbox.startSink({ host: LOOPBACK, port: config.dev.smtpPort });
      postrider = assemblePostrider(config, { logger, ...devDelivery(config, sink.port) });
      await postrider.ready();
      preview = createPreview({ types: catalogue, appUrl: config.render.appUrl, logger });
      const { port } = await listen({ host: LOOPBACK, inbox, preview, apiKey: null });
      await postrider.start();
      return { url: `http://${LOOPBACK}:${port}`, smtpPort: sink.port };
    },
    stop({ deadlineMs }) {
      stopped ??= stop(deadlineMs);
      return stopped;
    },
  };
}

const LOOPBACK = '127.0.0.1';

/** Without a server named, everything goes to the process's own inbox. */
function devDelivery(config: Config, sinkPort: number): Pick<PostriderOptions, 'from' | 'provider'> {
  const name = config.email.fromName ?? undefined;
  const from: Mailbox = {
    address: config.email.fromEmail ?? 'noreply@example.com',
    ...(name ? { name } : {}),
  };
  const named = config.smtp.host !== null || config.email.mode === 'resend' || config.email.mode === 'ses';
  if (named) return { from };
  const provider = createSmtpProvider(
    { host: LOOPBACK, port: sinkPort, maxConnections: 5 },
    { clock: systemClock },
  );
  return { from, provider };
}

/** A store that is away at start is no reason to exit: the API answers 503 and the worker keeps trying. */
async function warnWhenAway(postrider: Postrider, logger: Logger): Promise<void> {
  try {
    await postrider.ready();
  } catch (error) {
    if (!(error instanceof PostriderError) || error.code !== 'STORE_UNAVAILABLE') throw error;
    logger.warn({ err: messageOf(error) }, 'the database is away; carrying on when it is back');
  }
}
