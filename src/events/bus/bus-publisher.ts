import {
  killPoint,
  type Lifecycle,
  type Logger,
  messageOf,
  PostriderError,
  Signal,
} from '../../kernel/index.js';
import type { Database } from '../../store/index.js';
import {
  claimOwedEvents,
  listenForBus,
  type OwedEvent,
  releaseOwedEvents,
  removeOwedEvents,
} from './bus-rows.js';
import type { EventBus } from './create-event-bus.js';

/**
 * Publishes what the ledger owes the bus. An event's row goes after the broker has confirmed it, so an event is
 * published at least once, under the id of its row. Runs in any number of processes. A broker that is away costs
 * nothing but time: the rows wait.
 */
export interface BusPublisherOptions {
  database: () => Promise<Database>;
  bus: EventBus;
  /** While true, what is due waits. */
  isHeld(): Promise<boolean>;
  /** The types to publish; none publishes nothing and has nothing noted. */
  events: readonly string[];
  /** What the store does not know of an event. */
  complete(payload: Record<string, unknown>): Record<string, unknown>;
  /** How long the broker may take for one event. */
  timeoutMs: number;
  logger: Logger;
}

const BATCH = 200;
const IDLE_MS = 500;
const AWAY_MS = 2000;
/** Beyond the broker's time: to write down what came of it. */
const LEASE_EXTRA_MS = 10_000;

export function createBusPublisher(options: BusPublisherOptions): Lifecycle {
  const { bus, events, logger } = options;
  const changed = new Signal();
  let stopping: AbortController | null = null;
  let running: Promise<void> = Promise.resolve();
  let listening = false;

  async function loop(signal: AbortSignal): Promise<void> {
    let said: string | null = null;
    while (!signal.aborted) {
      let pauseMs = 0;
      try {
        pauseMs = (await round()) ? 0 : IDLE_MS;
        said = null;
      } catch (error) {
        // Once per outage, not once per try.
        const reason = messageOf(error);
        if (!signal.aborted && reason !== said) logger.warn({ err: reason }, 'events wait for the bus');
        said = reason;
        pauseMs = AWAY_MS;
      }
      if (pauseMs > 0 && !signal.aborted) await changed.wait(pauseMs);
    }
  }

  /** Whether there may be more at once. */
  async function round(): Promise<boolean> {
    const database = await options.database();
    // Before the broker: events of emails that end while it is away are owed too.
    if (events.length > 0 && !listening) listening = await listenForBus(database, events);
    await bus.start();
    if (!listening || (await options.isHeld())) return false;
    const leaseMs = options.timeoutMs + LEASE_EXTRA_MS;
    const owed = await claimOwedEvents(database, { limit: BATCH, leaseMs });
    if (owed.length === 0) return false;
    killPoint('bus:claimed');
    const results = await Promise.allSettled(owed.map(publish));
    killPoint('bus:published');
    const published = owed.filter((_, index) => results[index]?.status === 'fulfilled').map(({ id }) => id);
    const failed = results.find((result) => result.status === 'rejected');
    if (published.length > 0) await removeOwedEvents(database, published);
    killPoint('bus:settled');
    if (failed) {
      await releaseOwedEvents(
        database,
        owed.map(({ id }) => id).filter((id) => !published.includes(id)),
      );
      throw failed.reason;
    }
    return owed.length === BATCH;
  }

  function publish({ id, type, tenant, payload }: OwedEvent): Promise<string> {
    const { created_at: occurredAt, data } = options.complete(payload);
    return bus.publish({ id, type, companyId: tenant, data, occurredAt: occurredAt as string });
  }

  return {
    /** Returns when it runs; a broker that is away is waited for in the background, a wrong one is an error. */
    async start() {
      if (stopping) return;
      stopping = new AbortController();
      const { signal } = stopping;
      try {
        await bus.start();
      } catch (error) {
        if (!(error instanceof PostriderError) || error.code !== 'BUS_UNAVAILABLE') {
          stopping = null;
          throw error;
        }
        logger.warn({ err: error.message }, 'the bus is away; carrying on when it is back');
      }
      if (!signal.aborted) running = loop(signal);
    },
    async stop(stopOptions) {
      if (!stopping) return;
      stopping.abort();
      changed.notify();
      await running;
      await bus.stop(stopOptions);
      stopping = null;
    },
  };
}
