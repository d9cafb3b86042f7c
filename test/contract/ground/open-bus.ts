import { Connection, type SyncMessage } from 'rabbitmq-client';
import {
  createEventBus,
  type EventBus,
  type EventBusOptions,
  type EventHandler,
} from '../../../src/index.js';
import { type Logger, silentLogger } from '../../../src/kernel/index.js';

/** Services on one broker for a test, with short waits, and a connection beside them that looks with the broker's eyes. */
export interface BusGround {
  service(
    name: string,
    handlers?: Record<string, EventHandler>,
    options?: Partial<EventBusOptions>,
  ): Promise<EventBus>;
  broker: Connection;
  /** Every line logged so far. */
  lines: Array<Record<string, unknown>>;
  take(queue: string): Promise<SyncMessage | undefined>;
  depth(queue: string): Promise<number>;
  close(): Promise<void>;
}

export const RETRY_MS = 60;

export function openBus(url: string): BusGround {
  const broker = new Connection({ url, retryHigh: 500 });
  broker.on('error', () => {});
  const buses: EventBus[] = [];
  const lines: BusGround['lines'] = [];
  const logger = recording(lines);
  return {
    broker,
    lines,
    async service(name, handlers = {}, options = {}) {
      const bus = createEventBus({ url, service: name, retryDelayMs: RETRY_MS, logger, ...options });
      for (const [type, handler] of Object.entries(handlers)) bus.on(type, handler);
      buses.push(bus);
      await bus.start();
      return bus;
    },
    take: (queue) => broker.basicGet({ queue, noAck: true }),
    depth: async (queue) => (await broker.queueDeclare({ queue, passive: true })).messageCount,
    async close() {
      await Promise.all(buses.map((bus) => bus.stop({ deadlineMs: 1000 })));
      await broker.close();
    },
  };
}

function recording(lines: BusGround['lines']): Logger {
  const line = (fields: object, message: string) => {
    lines.push({ ...fields, message });
  };
  const logger = { ...silentLogger, info: line, warn: line, error: line };
  return { ...logger, child: () => logger };
}
