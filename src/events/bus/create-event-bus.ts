import { type Connection, type Consumer, type Publisher, rawMessageOf } from '../../amqp/index.js';
import {
  type Clock,
  createLogger,
  delay,
  type Lifecycle,
  type Logger,
  messageOf,
  PostriderError,
  type Randomness,
  refuseUnknownKeys,
  systemClock,
  systemRandomness,
} from '../../kernel/index.js';
import { checkClientInstalled, connectBus } from './bus-connection.js';
import { type BusDeadLetters, createBusDeadLetters } from './bus-dead-letters.js';
import { type NewBusEvent, writeEvent } from './bus-event.js';
import { type BusNames, busNames } from './bus-names.js';
import { declareMainExchange, declareTopology, mainQueue } from './declare-topology.js';
import { type BusOutcome, type EventHandler, handleMessage } from './handle-message.js';
import { createMover, createPatientMover, type PatientMover } from './move-message.js';

/**
 * Events between services on RabbitMQ. What one publishes reaches every service of its prefix; what a service fails on
 * comes back to it alone, every five seconds for ten times, and then lies in its dead-letter queue. Delivery is at
 * least once: remember the ids. A service without handlers has no queue and only publishes.
 */
export interface EventBus extends Lifecycle {
  readonly names: BusNames;
  /** `*` for what has no handler of its own. Before `start`. */
  on(type: string, handler: EventHandler): void;
  /** Resolves with the event's id when the broker has it on disk, or in nobody's queue because nobody listens. */
  publish(event: NewBusEvent): Promise<string>;
  readonly deadLetters: BusDeadLetters;
  /** Whether it is connected, consumes, and can move what it must. */
  state(): BusState;
}

export interface BusState {
  up: boolean;
  message: string;
}

export interface EventBusOptions {
  /** `amqp://` or `amqps://`. */
  url: string;
  /** Such as `wms-cincout`: the part before the hyphen says whose events it shares. */
  service: string;
  /** How many events are handled at once. Defaults to 10. */
  prefetch?: number;
  /** Defaults to 10. */
  maxRetries?: number;
  /** The wait before each of them; fixed when the service's queues are first made. Defaults to 5000. */
  retryDelayMs?: number;
  /** For the broker to answer: at start, and for each event published. Defaults to 10000. */
  timeoutMs?: number;
  /** Told what became of each event, for figures. What it throws is logged and changes nothing. */
  onOutcome?: (outcome: BusOutcome) => void;
  logger?: Logger;
  clock?: Clock;
  random?: Randomness;
}

interface Open {
  connection: Connection;
  publisher: Publisher;
  mover: PatientMover;
  consumer: Consumer | null;
  stopping: AbortController;
  inHand: InHand;
}

/** Events that are being handled. */
interface InHand {
  count: number;
  /** When one began while there was none, or the last one ended. */
  since: number;
}

const OPTIONS = [
  'url',
  'service',
  'prefetch',
  'maxRetries',
  'retryDelayMs',
  'timeoutMs',
  'onOutcome',
  'logger',
  'clock',
  'random',
];

export function createEventBus(options: EventBusOptions): EventBus {
  refuseUnknownKeys(options, OPTIONS, 'INVALID_CONFIG');
  checkClientInstalled();
  const { prefetch, maxRetries, retryDelayMs, timeoutMs } = numbersOf(options);
  const { url, service, clock = systemClock, random = systemRandomness } = options;
  const names = busNames(service);
  const logger = (options.logger ?? createLogger()).child({ service });
  const handlers = new Map<string, EventHandler>();
  /** An event is handled or published whatever its figures do; a fault there would make it two. */
  const onOutcome = (outcome: BusOutcome): void => {
    try {
      options.onOutcome?.(outcome);
    } catch (error) {
      logger.error({ outcome, err: messageOf(error) }, 'onOutcome of the bus failed');
    }
  };
  let opening: Promise<Open> | null = null;
  let open: Open | null = null;
  let closing: Promise<void> | null = null;
  let wanted = false;
  let lastError: string | null = null;

  async function begin(): Promise<Open> {
    const connection = await connectBus({ url, name: `postrider bus ${service}`, logger, timeoutMs });
    const listening = handlers.size > 0;
    const declare = () =>
      listening ? declareTopology(connection, names, retryDelayMs) : declareMainExchange(connection, names);
    try {
      await declare();
    } catch (error) {
      connection.unsafeDestroy();
      throw error;
    }
    // A broker that came back empty would drop what is dead-lettered into an exchange it does not have.
    connection.on('connection', () => {
      declare().catch((error: unknown) =>
        logger.error({ err: messageOf(error) }, 'queues could not be declared again'),
      );
    });
    const publisher = connection.createPublisher({ confirm: true, maxAttempts: 3 });
    connection.on('error', (error) => {
      lastError = messageOf(error);
    });
    const mover = createPatientMover(createMover(connection, { timeoutMs }), { clock, declare });
    const stopping = new AbortController();
    const inHand: InHand = { count: 0, since: clock.monotonic() };
    const consumer = listening ? consume(connection, mover, stopping.signal, inHand) : null;
    logger.info({ exchange: names.mainExchange, queue: listening ? names.queue : null }, 'bus connected');
    open = { connection, publisher, mover, consumer, stopping, inHand };
    return open;
  }

  function consume(
    connection: Connection,
    mover: PatientMover,
    signal: AbortSignal,
    inHand: InHand,
  ): Consumer {
    const { queue, ...queueOptions } = mainQueue(names);
    const parts = {
      ...{ names, maxRetries, mover, signal, onOutcome, clock, random, logger },
      handlerOf: (type: string) => handlers.get(type) ?? handlers.get('*'),
    };
    const consumer = connection.createConsumer(
      { queue, queueOptions, concurrency: prefetch, qos: { prefetchCount: prefetch } },
      async (message) => {
        if (inHand.count++ === 0) inHand.since = clock.monotonic();
        try {
          return STATUS[await handleMessage(rawMessageOf(message), parts)];
        } finally {
          inHand.count -= 1;
          inHand.since = clock.monotonic();
        }
      },
    );
    consumer.on('error', (error) => logger.warn({ err: messageOf(error) }, 'the consumer of the bus failed'));
    return consumer;
  }

  async function end(running: Open, deadlineMs: number): Promise<void> {
    running.stopping.abort();
    const over = new AbortController();
    const orderly = (async () => {
      await running.consumer?.close();
      await running.publisher.close();
      await running.mover.close();
      await running.connection.close();
    })();
    // What is still being handled was not acknowledged: the broker gives it to another.
    const ended = await Promise.race([
      orderly.then(() => true),
      delay(deadlineMs, over.signal).then(() => false),
    ]);
    over.abort();
    if (ended) return;
    running.connection.unsafeDestroy();
    logger.warn({}, 'bus stopped with events in hand; they are delivered again');
  }

  function state(): BusState {
    const trouble = troubleOf(open, { prefetch, now: clock.monotonic() });
    if (trouble === null) return { up: true, message: 'connected' };
    const why = trouble === NOT_CONNECTED && lastError !== null ? ` (${lastError})` : '';
    return { up: false, message: `${trouble}${why}` };
  }

  return {
    names,
    state,
    on(type, handler) {
      if (opening)
        throw new PostriderError('INVALID_CONFIG', 'Name handlers before start().', { field: type });
      if (handlers.has(type))
        throw new PostriderError('INVALID_CONFIG', `There is a handler of ${type} already.`, { field: type });
      handlers.set(type, handler);
    },
    async start() {
      wanted = true;
      // Only while there is something to wait for: whoever stops it right after must find that it begins.
      if (closing) await closing;
      if (!wanted) return;
      opening ??= begin().catch((error: unknown) => {
        opening = null;
        lastError = messageOf(error);
        throw error;
      });
      await opening;
    },
    async publish(event) {
      if (!open) throw new PostriderError('BUS_UNAVAILABLE', 'The bus is not started.');
      const { envelope, body } = writeEvent(event, service, clock.now());
      const over = new AbortController();
      const sent = open.publisher.send({ ...envelope, exchange: names.mainExchange, routingKey: '' }, body);
      try {
        const inTime = await Promise.race([
          sent.then(() => true),
          delay(timeoutMs, over.signal).then(() => false),
        ]);
        if (inTime) {
          onOutcome('published');
          return envelope.messageId!;
        }
      } catch (error) {
        throw unpublished(messageOf(error), error);
      } finally {
        over.abort();
      }
      sent.catch((error: unknown) =>
        logger.warn({ err: messageOf(error) }, 'a late event was not published'),
      );
      throw unpublished('it did not confirm in time');
    },
    deadLetters: createBusDeadLetters({ url, names, timeoutMs, logger }),
    async stop({ deadlineMs = 5000 } = {}) {
      wanted = false;
      closing ??= (async () => {
        const running = await opening?.catch(() => null);
        open = null;
        if (running) await end(running, deadlineMs);
        opening = null;
      })().finally(() => {
        closing = null;
      });
      await closing;
    },
  };
}

const NOT_CONNECTED = 'not connected to the broker';
/** A handler may take its time; where all places are taken for so long without an end, nothing is handled. */
const STUCK_MS = 60_000;

function troubleOf(open: Open | null, { prefetch, now }: { prefetch: number; now: number }): string | null {
  if (!open?.connection.ready) return NOT_CONNECTED;
  const { consumer, mover, inHand } = open;
  if (consumer && consumer.consumerTag === '') return 'not consuming';
  const moves = mover.trouble();
  if (moves !== null) return `events cannot be moved: ${moves}`;
  const stuckMs = now - inHand.since;
  if (consumer && inHand.count >= prefetch && stuckMs > STUCK_MS)
    return `no handler has ended for ${Math.floor(stuckMs / 1000)} s, and ${inHand.count} events are in hand`;
  return null;
}

/** The client's words for what it tells the broker. */
const STATUS = { ACK: 0, REQUEUE: 1, DROP: 2 } as const;

function unpublished(reason: string, cause?: unknown): PostriderError {
  return new PostriderError('BUS_UNAVAILABLE', `The broker did not take the event: ${reason}.`, { cause });
}

function numbersOf(options: EventBusOptions) {
  const { prefetch = 10, maxRetries = 10, retryDelayMs = 5000, timeoutMs = 10_000 } = options;
  const check = (name: string, value: number, min: number, max: number) => {
    if (!Number.isSafeInteger(value) || value < min || value > max)
      throw new PostriderError('INVALID_CONFIG', `${name} must be a whole number from ${min} to ${max}.`, {
        field: name,
      });
  };
  check('prefetch', prefetch, 1, 1000);
  check('maxRetries', maxRetries, 0, 1000);
  check('retryDelayMs', retryDelayMs, 1, 86_400_000);
  check('timeoutMs', timeoutMs, 100, 600_000);
  return { prefetch, maxRetries, retryDelayMs, timeoutMs };
}
