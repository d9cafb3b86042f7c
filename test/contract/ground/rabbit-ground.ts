import { Connection, type SyncMessage } from 'rabbitmq-client';
import {
  createRabbitBroker,
  type RabbitBell,
  type RabbitBrokerOptions,
} from '../../../src/dispatch/engines/rabbitmq/create-rabbit-broker.js';
import type { EngineState, ForeignAnswer, ForeignMessage } from '../../../src/dispatch/index.js';
import { silentLogger, systemClock } from '../../../src/kernel/index.js';
import type { Settlement } from '../../../src/outbox/index.js';

/** A broker of bells on a real RabbitMQ that notes what it hears, and a second connection to look behind it. */
export function openRabbitGround(url: string, options: Partial<RabbitBrokerOptions> = {}) {
  const heard: RabbitBell[] = [];
  const states: EngineState[] = [];
  const foreign: ForeignMessage[] = [];
  const answers: ForeignAnswer[] = [];
  const nothingOut: Array<{ waits: boolean }> = [];
  const broker = createRabbitBroker({
    ...{ url, hosts: [], queueType: 'classic', prefetch: 100, clock: systemClock, logger: silentLogger },
    store: 'one',
    receiveForeign: async (message) => {
      foreign.push(message);
      return answers.shift() ?? { kind: 'done' };
    },
    ...options,
  });
  return {
    broker,
    heard,
    states,
    foreign,
    answers,
    nothingOut,
    start: () =>
      broker.start({
        onBell: (bell) => heard.push(bell),
        onState: (state) => states.push(state),
        onNothingOut: (also) => nothingOut.push(also),
        onRefused() {},
      }),
  };
}

export async function withRabbit<T>(url: string, work: (rabbit: Connection) => Promise<T>): Promise<T> {
  const rabbit = new Connection({ url, acquireTimeout: 5000 });
  rabbit.on('error', () => undefined); // whatever was asked for rejects as well
  try {
    return await work(rabbit);
  } finally {
    await rabbit.close();
  }
}

/** Takes one message off a queue, for good. */
export function takeOne(url: string, queue: string): Promise<SyncMessage | undefined> {
  return withRabbit(url, (rabbit) => rabbit.basicGet({ queue, noAck: true }));
}

export function countMessages(url: string, queue: string): Promise<number> {
  return withRabbit(
    url,
    async (rabbit) => (await rabbit.queueDeclare({ queue, passive: true })).messageCount,
  );
}

export function bellOf(id: string, token: number) {
  return { id, token, tenant: 'acme', priority: 3, attempt: 0, maxAttempts: 4, data: null };
}

export function settlementOf(id: string, token: number, change: Partial<Settlement>): Settlement {
  return {
    ...{ id, token, attempt: 1, status: 'sent', events: ['RECEIVED'], offsetsMs: [0], durationMs: 1 },
    ...{ route: 'default', provider: 'smtp', providerMessageId: null, errorCode: null, errorCategory: null },
    ...{ errorMessage: null, retryDelayMs: null, detail: null, remaining: null, possibleDuplicate: false },
    ...{ repeatableMs: null, purge: false },
    ...change,
  };
}
