import type { Connection } from '../../../amqp/index.js';
import {
  type Clock,
  delay,
  isPostriderError,
  type Logger,
  messageOf,
  PostriderError,
} from '../../../kernel/index.js';
import type { BellBroker, BellEnd, BrokerListener, HeardBell } from '../../bell-broker.js';
import type { EngineState } from '../../engine.js';
import type { ReceiveForeign } from '../../foreign-message.js';
import { bellMessage, readBell } from './bell-message.js';
import { endedForGood, mirrorMessage } from './dead-letter-message.js';
import { openRabbit, type RabbitAddress } from './open-rabbit.js';
import { acknowledge, createRabbitConsumer, type Delivery, type RabbitConsumer } from './rabbit-consumer.js';
import { createRabbitPublisher, type OutgoingMessage, type RabbitPublisher } from './rabbit-publisher.js';
import { createForeignReceiver, type ForeignReceiver } from './receive-foreign.js';
import { EXCHANGE, type QueueType, ROUTING_KEY, waitQueueOf } from './topology.js';

/**
 * Bells over RabbitMQ. Publishing and consuming have a connection each, because a broker short of memory
 * stops reading from those that publish, and acknowledgements must still get through. The dead-letter queue
 * mirrors what failed for good; the ledger stays the truth about it.
 */
export interface RabbitBrokerOptions extends RabbitAddress {
  queueType: QueueType;
  prefetch: number;
  /** The id of the store whose bells it carries; others keep away from the virtual host meanwhile. */
  store: string;
  receiveForeign: ReceiveForeign;
  clock: Clock;
  logger: Logger;
}

export interface RabbitBell extends HeardBell {
  delivery: Delivery;
}

/** So long a start waits for the broker before it goes on without. */
const START_MS = 5000;
const CLOSE_MS = 2000;
const MOST_UNMIRRORED = 10_000;

export function createRabbitBroker(options: RabbitBrokerOptions): BellBroker<RabbitBell> {
  const { logger, clock } = options;
  let open: Open | null = null;
  let lastError: unknown = null;
  /** Says more than that no channel could be had. */
  let lost: unknown = null;
  let unmirrored: OutgoingMessage[] = [];
  let mirroring: Promise<void> = Promise.resolve();
  let saidAt = Number.NEGATIVE_INFINITY;

  function state(): EngineState {
    const trouble = open ? open.publisher.trouble() : 'not started';
    const up = trouble === null && (open?.consumer.up() ?? false);
    if (up) return { name: 'rabbitmq', up, message: 'connected' };
    const cause = lost ?? lastError;
    const why = cause === null ? '' : ` (${messageOf(cause)})`;
    return { name: 'rabbitmq', up, message: `${trouble ?? 'not consuming'}${why}` };
  }

  function warn(error: unknown, message: string): void {
    if (clock.monotonic() - saidAt < 1000) return;
    saidAt = clock.monotonic();
    logger.warn({ err: messageOf(error) }, message);
  }

  /** Mirrors are told once the broker takes them; so many are kept until then, and no more. */
  function mirror(messages: readonly OutgoingMessage[]): void {
    if (messages.length + unmirrored.length === 0) return;
    unmirrored.push(...messages);
    if (unmirrored.length > MOST_UNMIRRORED) {
      logger.warn(
        { count: unmirrored.length - MOST_UNMIRRORED },
        'dead letters are not mirrored to the broker',
      );
      unmirrored = unmirrored.slice(-MOST_UNMIRRORED);
    }
    mirroring = mirroring.then(async () => {
      const batch = unmirrored.splice(0);
      try {
        await open?.publisher.publish(batch);
      } catch (error) {
        unmirrored.unshift(...batch);
        warn(error, 'dead letters are mirrored to the broker later');
      }
    });
  }

  return {
    name: 'rabbitmq',
    wantsData: false,
    async start(listener) {
      let decide: (refusal?: PostriderError) => void = () => {};
      const decided = new Promise<void>((resolve, reject) => {
        decide = (refusal) => (refusal ? reject(refusal) : resolve());
      });
      // Refusals after the start are seen in the state.
      decided.catch(() => undefined);
      const refused = (error: unknown) => {
        const refusal = refusalOf(error);
        if (refusal) decide(refusal);
      };
      open = await openBroker(options, {
        listener,
        onChange(error) {
          const before = lastError;
          lastError = error ?? null;
          if (error !== undefined) {
            refused(error);
            if (before === null) warn(error, 'the broker is away');
          }
          const now = state();
          if (now.up) {
            lost = null;
            decide();
            mirror([]);
          }
          listener.onState(now);
        },
        onLost(error) {
          lost = error;
          refused(error);
        },
        onOtherStore(store) {
          warn(`of store ${store}`, 'a bell of another store was dropped; that store rings again');
        },
      });
      const waited = new AbortController();
      try {
        await Promise.race([decided, delay(START_MS, waited.signal)]);
      } catch (error) {
        await closeBroker(open, 0);
        open = null;
        throw error;
      } finally {
        waited.abort();
      }
    },
    async quiesce() {
      try {
        await open?.consumer.quiesce();
      } finally {
        await open?.foreign.stop();
      }
    },
    async stop({ deadlineMs = CLOSE_MS } = {}) {
      if (!open) return;
      await mirroring;
      await closeBroker(open, Math.max(deadlineMs, CLOSE_MS));
      open = null;
    },
    async publish(bells) {
      if (!open) throw new PostriderError('STOPPED', 'The engine is not started.');
      await open.publisher.publish(
        bells.map((bell) =>
          bellMessage(bell, { to: { exchange: EXCHANGE, routingKey: ROUTING_KEY }, store: options.store }),
        ),
      );
    },
    spendsWait: (waitMs) => waitQueueOf(waitMs) !== null,
    async ended(ends) {
      try {
        await open?.publisher.publish(ends.flatMap((end) => waitOf(end, options.store)));
      } finally {
        // Where a wait did not get out its row waits in the ledger, so its bell has done its work too.
        for (const { bell } of ends) if (bell) acknowledge(bell.delivery);
      }
      mirror(
        ends.flatMap(({ settlement }) =>
          settlement && endedForGood(settlement) ? [mirrorMessage(settlement, clock.now())] : [],
        ),
      );
    },
    gaveUp(emails) {
      mirror(emails.map((email) => mirrorMessage(email, clock.now())));
    },
    state,
  };
}

function waitOf({ settlement }: BellEnd<RabbitBell>, store: string): OutgoingMessage[] {
  if (!settlement?.rings || settlement.retryDelayMs === null) return [];
  const queue = waitQueueOf(settlement.retryDelayMs);
  return queue === null ? [] : [bellMessage(settlement, { to: { queue }, store })];
}

interface Open {
  publishing: Connection;
  consuming: Connection;
  publisher: RabbitPublisher;
  consumer: RabbitConsumer;
  foreign: ForeignReceiver;
}

interface Watch {
  listener: BrokerListener<RabbitBell>;
  onChange(error?: unknown): void;
  /** A connection could not be made or was lost. */
  onLost(error: unknown): void;
  /** A bell that was left here by a store whose workers are gone. */
  onOtherStore(store: string): void;
}

async function openBroker(options: RabbitBrokerOptions, watch: Watch): Promise<Open> {
  const { queueType, prefetch, store, clock, logger, receiveForeign: receive } = options;
  const [publishing, consuming] = await Promise.all([
    openRabbit(options, 'publishing'),
    openRabbit(options, 'consuming'),
  ]);
  for (const connection of [publishing, consuming]) connection.on('error', watch.onLost);
  const { onChange } = watch;
  const publisher = createRabbitPublisher({ connection: publishing, queueType, onChange });
  const foreign = createForeignReceiver({
    ...{ receive, publisher, queueType, clock, logger },
    onFull: (full) => consumer.hold(full),
  });
  const consumer: RabbitConsumer = createRabbitConsumer({
    ...{ connection: consuming, queueType, prefetch, store, onChange, logger },
    onFound({ toSend, waiting }) {
      if (toSend === 0) watch.listener.onNothingOut({ waits: waiting === 0 });
    },
    onMessage(message, delivery) {
      const bell = readBell(message);
      if (!bell) return foreign.take(message, delivery);
      if (bell.store !== null && bell.store !== store) {
        acknowledge(delivery);
        return watch.onOtherStore(bell.store);
      }
      watch.listener.onBell({ id: bell.id, token: bell.token, delivery });
    },
  });
  return { publishing, consuming, publisher, consumer, foreign };
}

/** In order where the broker answers; a broker that blocks or hangs is left. */
async function closeBroker(
  { publishing, consuming, publisher, consumer }: Open,
  withinMs: number,
): Promise<void> {
  const waited = new AbortController();
  publisher.stop();
  consumer.stop();
  await Promise.race([Promise.all([publishing.close(), consuming.close()]), delay(withinMs, waited.signal)]);
  waited.abort();
  publishing.unsafeDestroy();
  consuming.unsafeDestroy();
  await Promise.all([publisher.over, consumer.over]);
}

/** What only a person can put right: other arguments, a wrong login, a virtual host that is not there. */
function refusalOf(error: unknown): PostriderError | null {
  if (isPostriderError(error)) return error.code === 'BROKER_UNSUITABLE' ? error : null;
  const { code = '' } = error as { code?: string };
  if (code !== 'ACCESS_REFUSED' && code !== 'NOT_ALLOWED') return null;
  return new PostriderError('BROKER_UNSUITABLE', `The broker refuses the connection: ${messageOf(error)}`, {
    cause: error,
  });
}
