import type { HeaderValue, RawMessage } from '../../amqp/index.js';
import {
  type Clock,
  delay,
  killPoint,
  type Logger,
  messageOf,
  type Randomness,
  toStorableText,
} from '../../kernel/index.js';
import { type BusEvent, earlyByMs, isTooEarly, type Problem, readEvent, TOO_EARLY } from './bus-event.js';
import type { BusNames } from './bus-names.js';
import { type ConsumerAction, consumerAction } from './consumer-action.js';
import { type PatientMover, TooSoonError } from './move-message.js';
import { countRetries, deathsIn, FINAL_DEATHS, FINAL_RETRY_COUNT, type Headers } from './retry-count.js';

/**
 * One message of a service's queue, from delivery to what the broker is told about it. Never throws. A message is
 * acknowledged only when it was handled, or lies in the dead-letter queue, or in the delay queue until it is due.
 */
export type EventHandler = (
  event: BusEvent,
  context: HandlingContext,
) => HandlerAnswer | void | Promise<HandlerAnswer> | Promise<void>;

/** An HTTP-like status, alone or with a reason and the field it is about, for the log; nothing means 200. */
export type HandlerAnswer = number | { status: number; error?: string; field?: string } | undefined;

export interface HandlingContext {
  /** How often this service has failed on it before. */
  retries: number;
  headers: Headers;
  /** Whether it was delivered before, to whomever. */
  redelivered: boolean;
  /** The process is asked to stop. */
  signal: AbortSignal;
}

export interface HandlingParts {
  names: Pick<BusNames, 'queue' | 'delayQueue' | 'deadLetterQueue'>;
  maxRetries: number;
  handlerOf(type: string): EventHandler | undefined;
  mover: Pick<PatientMover, 'move'>;
  onOutcome(outcome: BusOutcome): void;
  signal: AbortSignal;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

/**
 * What became of an event, for metrics: `requeued` waited in this process, `delayed` in the delay queue; `move_failed`
 * is one that could not be moved to a queue and comes back by the retry queue.
 */
export type BusOutcome =
  | 'published'
  | 'handled'
  | 'retried'
  | 'requeued'
  | 'delayed'
  | 'dead_lettered'
  | 'move_failed';

type Told = Exclude<ConsumerAction, 'DEAD_LETTER'>;

export async function handleMessage(message: RawMessage, parts: HandlingParts): Promise<Told> {
  try {
    return await handle(message, parts);
  } catch (error) {
    parts.logger.error({ err: messageOf(error) }, 'an event could not be handled; it is tried again');
    parts.onOutcome('retried');
    return 'DROP';
  }
}

async function handle(message: RawMessage, parts: HandlingParts): Promise<Told> {
  const { clock, logger, signal } = parts;
  const headers: Headers = message.properties.headers().values();
  const retries = countRetries(headers, parts.names.queue);
  const read = await readEvent(message);
  const early = 'id' in read && parts.handlerOf(read.type) ? earlyByMs(read, clock.now()) : 0;
  const event = isTooEarly(early) ? TOO_EARLY : read;
  const about: About = {
    eventId: ('id' in read ? read.id : null) ?? message.properties.text('messageId'),
    type: read.type ?? message.properties.text('type'),
    retries,
  };
  // Nobody has tried it yet, so this is no failure, however often the message has been here.
  if ('id' in event && early > MAX_WAIT_MS) return delayEvent(message, { headers, about }, parts);
  if ('id' in event && early > 0) return waitAndRequeue(parts, early);
  const context = { retries, headers, redelivered: message.redelivered, signal };
  const answer = await answerTo(event, context, parts);
  const action = consumerAction(answer.status, { retries, maxRetries: parts.maxRetries });
  if (action === 'ACK') {
    logger.debug({ ...about, status: answer.status }, 'event handled');
    parts.onOutcome('handled');
    return action;
  }
  const { status, error, field } = answer;
  const outcome = { ...about, status, err: error, ...(field !== null && { field }) };
  if (action === 'REQUEUE') return waitAndRequeue(parts, Number.POSITIVE_INFINITY);
  if (action === 'DROP') {
    logger.warn(outcome, 'event failed; it is tried again');
    parts.onOutcome('retried');
    return action;
  }
  return deadLetter(message, { headers, about: outcome, answer }, parts);
}

interface About {
  eventId: string | null;
  type: string | null;
  retries: number;
}

/** Outside the service's queue, so that it takes no other's place. It comes back after one round, due or not. */
async function delayEvent(
  message: RawMessage,
  { headers, about }: { headers: Headers; about: About },
  parts: HandlingParts,
): Promise<Told> {
  const { queue, delayQueue } = parts.names;
  try {
    // Without retries to count its history says nothing, and a forged one could end the message in the broker.
    const tried = deathsIn(headers, queue).count > 0;
    await parts.mover.move(message, delayQueue, tried ? {} : { 'x-death': undefined });
  } catch (error) {
    return comeBackLater(error, about, parts);
  }
  killPoint('bus:delayed');
  parts.onOutcome('delayed');
  return 'ACK';
}

async function deadLetter(
  message: RawMessage,
  { headers, about, answer }: { headers: Headers; about: About & { err: string | null }; answer: Answer },
  parts: HandlingParts,
): Promise<Told> {
  const { queue, deadLetterQueue } = parts.names;
  // A move that failed took another round through the retry queue, which was no retry.
  const retries = Math.min(about.retries, parts.maxRetries);
  try {
    await parts.mover.move(message, deadLetterQueue, finalHeaders(headers, { ...answer, retries, queue }));
  } catch (error) {
    return comeBackLater(error, about, parts);
  }
  killPoint('bus:dead-lettered');
  parts.logger.error({ ...about, code: MAX_RETRIES_EXCEEDED }, 'event moved to the dead-letter queue');
  parts.onOutcome('dead_lettered');
  return 'ACK';
}

/** By the retry queue, where it takes no place among those in hand, however long moves fail. */
function comeBackLater(error: unknown, about: About, parts: HandlingParts): 'DROP' {
  if (!(error instanceof TooSoonError))
    parts.logger.error({ ...about, err: messageOf(error) }, 'event could not be moved; it comes back');
  parts.onOutcome('move_failed');
  return 'DROP';
}

export const MAX_RETRIES_EXCEEDED = 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED';

interface Answer {
  status: number | null;
  error: string | null;
  field: string | null;
}

async function answerTo(
  event: BusEvent | Problem,
  context: HandlingContext,
  parts: HandlingParts,
): Promise<Answer> {
  // Every service of the prefix hears everything; what it has no handler for is not its business.
  if (event.type !== undefined && !parts.handlerOf(event.type))
    return { status: 204, error: null, field: null };
  if ('problem' in event) return { status: 400, error: event.problem, field: event.field ?? null };
  const handler = parts.handlerOf(event.type)!;
  try {
    const answer = (await handler(event, context)) ?? 200;
    const { status, error = null, field = null } = typeof answer === 'object' ? answer : { status: answer };
    if (Number.isInteger(status) && status >= 100 && status <= 599)
      return { status, error: shortened(error), field };
    return { status: null, error: shortened(`the handler answered ${String(status)}`), field: null };
  } catch (error) {
    return { status: null, error: shortened(messageOf(error)), field: null };
  }
}

/** Shorter than the wait that is left, and different for each, so that they do not all come back at once. */
async function waitAndRequeue(parts: HandlingParts, leftMs: number): Promise<'REQUEUE'> {
  const { random, signal } = parts;
  parts.onOutcome('requeued');
  await delay(Math.min(leftMs, MIN_WAIT_MS + random() * (MAX_WAIT_MS - MIN_WAIT_MS)), signal);
  return 'REQUEUE';
}

const MIN_WAIT_MS = 500;
const MAX_WAIT_MS = 2000;

/** In place of those of an earlier round; what is undefined goes. */
function finalHeaders(
  headers: Headers,
  { status, error, retries, queue }: Answer & { retries: number; queue: string },
): Record<string, HeaderValue | undefined> {
  const { count, since } = deathsIn(headers, queue);
  return {
    'x-original-queue': queue,
    'x-final-status-code': status ?? undefined,
    'x-final-error': error ?? undefined,
    [FINAL_RETRY_COUNT]: retries,
    [FINAL_DEATHS]: { count, since },
  };
}

const MAX_ERROR = 1000;

/** A header has little room, and a message must not fail for the reason it failed. */
function shortened(error: string | null): string | null {
  return error === null ? null : toStorableText(error.slice(0, MAX_ERROR));
}
