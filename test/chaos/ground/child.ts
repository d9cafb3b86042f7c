/**
 * A process to be killed: Postrider with a worker, told what to do over IPC. Armed (`killAt`, or later
 * by a command) it dies by SIGKILL at the N-th kill point it passes; its last word names the place.
 */

import { writeSync } from 'node:fs';
import { type ConfigOverrides, createPostrider, type EmailInput } from '../../../src/index.js';
import { createLogger, type Logger, onKillPoint, systemClock } from '../../../src/kernel/index.js';

export interface ChildOptions {
  database: string | { folder: string };
  smtpPort: number;
  /** Dies at this kill point, counted from the start of the process, or at the first of this name. */
  killAt?: number | string;
  /** Dies whenever an email with this word in its subject is handed to the provider. */
  poison?: string;
  /** Dies whenever this email comes to this event. */
  dieAtEvent?: { emailId: string; state: string };
  /** Whether to run a worker. */
  work: boolean;
  /** Whether to watch and tell people, without a worker. */
  watch?: boolean;
  /** Whether to fire schedules and carry them out. */
  schedules?: boolean;
  /** Whether to open the SMTP door. */
  submission?: boolean;
  /** Settings of the bus, for a child that takes part in it. */
  bus?: NonNullable<ConfigOverrides['bus']>;
  instance?: string;
  concurrency?: number;
  batchSize?: number;
  pollIntervalMs?: number;
  logLevel?: 'debug' | 'info' | 'warn';
  config?: Pick<
    ConfigOverrides,
    'access' | 'webhooks' | 'engine' | 'redis' | 'rabbitmq' | 'retry' | 'alerts'
  >;
}

export type ChildCommand =
  | { do: 'send'; emails: EmailInput[]; idempotencyKey?: string }
  /** Counts kill points from here on and dies at the given one, or at the first of that name. */
  | { do: 'arm'; killAt: number | string }
  /** Calls a method by its name, such as `deadLetters.retry`. */
  | { do: 'act'; method: string; args: unknown[] }
  | { do: 'query'; id: number; sql: string; values: unknown[] }
  | { do: 'stop'; deadlineMs: number }
  /** What it has passed since it was armed; from here on it lives. */
  | { do: 'count' };

export type ChildEvent =
  | { event: 'ready'; submissionPort?: number }
  | { event: 'accepted'; ids: string[] }
  | { event: 'armed' }
  | { event: 'acted'; answer: unknown }
  | { event: 'rows'; id: number; rows: unknown[] }
  | { event: 'stopped' }
  | { event: 'counted'; points: number; names: string[] }
  | { event: 'failed'; message: string };

const options = JSON.parse(process.env.CHAOS_OPTIONS ?? '{}') as ChildOptions;
let killAt: number | string | undefined = options.killAt;
let points = 0;
let names = new Set<string>();
onKillPoint((name) => {
  points++;
  names.add(name);
  if (killAt === points || killAt === name) die(name);
});

const postrider = createPostrider({
  database: options.database,
  from: { address: 'noreply@example.com' },
  logger: watchedLogger(),
  config: {
    ...options.config,
    email: { mode: 'smtp' },
    smtp: { host: '127.0.0.1', port: options.smtpPort },
    ...(options.bus ? { bus: options.bus } : {}),
    instance: { name: options.instance ?? `child-${process.pid}` },
    worker: {
      ...(options.concurrency ? { concurrency: options.concurrency } : {}),
      ...(options.batchSize ? { batchSize: options.batchSize } : {}),
      ...(options.pollIntervalMs ? { pollIntervalMs: options.pollIntervalMs } : {}),
    },
  },
});
if (options.poison) {
  const { provider } = postrider;
  const send = provider.send.bind(provider);
  const poison = options.poison;
  provider.send = (email, attempt) => {
    if (email.subject.includes(poison)) die('poison');
    return send(email, attempt);
  };
}

/** Written before the signal, so that the test knows where it happened. */
function die(place: string): void {
  writeSync(2, `\ndies at ${place}\n`);
  process.kill(process.pid, 'SIGKILL');
}

/** The log tells every event of an email as it happens: the one hook inside an attempt. */
function watchedLogger(): Logger {
  const logger = createLogger({ level: options.logLevel ?? 'warn' });
  const { dieAtEvent } = options;
  if (!dieAtEvent) return logger;
  return {
    info: (fields, message) => logger.info(fields, message),
    warn: (fields, message) => logger.warn(fields, message),
    error: (fields, message) => logger.error(fields, message),
    child: () => logger,
    debug(fields: { outboxId?: string; state?: string }) {
      if (fields.outboxId === dieAtEvent.emailId && fields.state === dieAtEvent.state) die(dieAtEvent.state);
    },
  };
}

type Room = Record<string, unknown>;

const tell = (event: ChildEvent) => process.send?.(event);

process.on('message', async (command: ChildCommand) => {
  try {
    switch (command.do) {
      case 'send': {
        const accepted = await postrider.sendBatch(command.emails, {
          idempotencyKey: command.idempotencyKey,
        });
        tell({ event: 'accepted', ids: accepted.map((answer) => answer.emailId) });
        break;
      }
      case 'arm':
        points = 0;
        names = new Set();
        killAt = command.killAt;
        tell({ event: 'armed' });
        break;
      case 'act': {
        const path = command.method.split('.');
        const name = path.pop() ?? '';
        const room = path.reduce<Room>((inner, part) => inner[part] as Room, postrider as unknown as Room);
        const answer = await (room[name] as (...args: unknown[]) => Promise<unknown>)(...command.args);
        tell({ event: 'acted', answer });
        break;
      }
      case 'query': {
        const { rows } = await (await postrider.ready()).query(command.sql, command.values);
        tell({ event: 'rows', id: command.id, rows });
        break;
      }
      case 'count':
        // Waiting for the other lanes it passes points, too.
        killAt = undefined;
        tell({ event: 'counted', points, names: [...names] });
        break;
      case 'stop':
        await postrider.stop({ deadlineMs: command.deadlineMs });
        tell({ event: 'stopped' });
        process.disconnect();
    }
  } catch (error) {
    tell({ event: 'failed', message: String(error) });
  }
});
// The test is gone, perhaps before this line: nothing may stay behind.
process.on('disconnect', () => process.exit(0));
if (!process.connected) process.exit(0);

await postrider.ready();
if (options.work) await postrider.start();
if (options.watch) await postrider.alerts.start();
if (options.schedules) await postrider.schedules.start();
const door = options.submission ? await openSubmission() : null;
tell({ event: 'ready', ...(door && { submissionPort: door.port }) });

async function openSubmission(): Promise<{ port: number }> {
  const { loadConfig } = await import('../../../src/config.js');
  const { startSmtpDoor } = await import('../../../src/doors/smtp/index.js');
  const { smtpRooms } = await import('../../../src/smtp-rooms.js');
  return startSmtpDoor({
    ...smtpRooms(postrider),
    settings: loadConfig({ overrides: { submission: { port: 0 } } }).submission,
    clock: systemClock,
    logger: createLogger({ level: 'warn' }),
  });
}
