import { type BusDesk, createBusDesk } from './bus-dead-letters.js';
import type { Config } from './config.js';
import { emailsFromEvents } from './doors/bus/index.js';
import {
  type BusDeadLetters,
  type BusOutcome,
  type BusState,
  createBusPublisher,
  createEventBus,
  type EventBusOptions,
  noteReceived,
} from './events/index.js';
import type { Intake } from './intake/index.js';
import { type Clock, type Lifecycle, type Logger, PostriderError } from './kernel/index.js';
import type { Database } from './store/index.js';

/** The bus put together for one process: what the ledger owes it, and emails that events of others start. */
export function assembleBus(
  config: Config,
  parts: {
    database: () => Promise<Database>;
    intake: () => Promise<Intake>;
    complete(payload: Record<string, unknown>): Record<string, unknown>;
    isHeld(): Promise<boolean>;
    metrics: { bus: { outcome(outcome: BusOutcome): void } };
    clock: Clock;
    logger: Logger;
  },
): AssembledBus {
  if (config.bus.url === null) return { start: async () => {}, stop: async () => {}, state: () => null };
  const bus = createEventBus({
    ...busOptions(config, config.bus.url, parts.logger),
    ...{ clock: parts.clock, onOutcome: parts.metrics.bus.outcome },
  });
  const handlers = emailsFromEvents(config.bus.emails ?? {}, async (event, emails) => {
    const database = await parts.database();
    const intake = await parts.intake();
    await database.transaction(async (tx) => {
      if (!(await noteReceived(tx, event))) return;
      for (const email of emails) await intake.accept(email as never, { tx });
    });
  });
  for (const [type, handler] of handlers) bus.on(type, handler);
  let started = false;
  const publisher = createBusPublisher({
    ...{ database: parts.database, bus, complete: parts.complete, logger: parts.logger },
    isHeld: parts.isHeld,
    events: config.bus.publish ? config.bus.events : [],
    timeoutMs: config.bus.timeoutMs,
  });
  return {
    start() {
      started = true;
      return publisher.start();
    },
    stop: (options) => publisher.stop(options),
    state: () => (started ? bus.state() : null),
  };
}

export interface AssembledBus extends Lifecycle {
  /** Null where this process has no part in a bus. */
  state(): BusState | null;
}

export function assembleBusDesk(
  config: Config,
  { waitingForBus }: { waitingForBus(): Promise<number | null> },
  logger: Logger,
): BusDesk {
  return createBusDesk({
    letters: () => busDeadLetters(config, logger),
    service: config.bus.service,
    waiting: waitingForBus,
  });
}

/** For those who look without being part of the bus. */
export function busDeadLetters(config: Config, logger: Logger): BusDeadLetters {
  const { url } = config.bus;
  if (url === null)
    throw new PostriderError('BUS_NOT_FOUND', 'There is no bus: POSTRIDER_BUS_URL is not set.', {
      field: 'POSTRIDER_BUS_URL',
    });
  return createEventBus(busOptions(config, url, logger)).deadLetters;
}

function busOptions({ bus }: Config, url: string, logger: Logger): EventBusOptions {
  const { service, prefetch, maxRetries, retryDelayMs, timeoutMs } = bus;
  return { url, service, prefetch, maxRetries, retryDelayMs, timeoutMs, logger };
}
