import {
  type Clock,
  delay,
  killPoint,
  type Logger,
  messageOf,
  type Randomness,
  toStorableText,
} from '../../kernel/index.js';
import { type BusEvent, type BusMessage, earlyByMs, readEvent } from './bus-event.js';
import { type ConsumerAction, consumerAction } from './consumer-action.js';
import { countRetries, deathsIn, FINAL_DEATHS, FINAL_RETRY_COUNT, type Headers } from './retry-count.js';

/**
 * One message of a service's queue, from delivery to what the broker is told about it. Never throws. A message is
 * acknowledged only when it was handled, or lies in the dead-letter queue.
 */
export type EventHandler = (
  event: BusEvent,
  context: HandlingContext,
) => HandlerAnswer | void | Promise<HandlerAnswer> | Promise<void>;

/** An HTTP-like status, alone or with a reason; nothing means 200. */
export type HandlerAnswer = number | { status: number; error?: string } | undefined;

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
  queue: string;
  maxRetries: number;
  handlerOf(type: string): EventHandler | undefined;
  moveToDeadLetters(message: BusMessage, headers: Headers): Promise<void>;
  onOutcome(outcome: BusOutcome): void;
  signal: AbortSignal;
  clock: Clock;
  random: Randomness;
  logger: Logger;
}

/** What became of an event, for figures: `requeued` are those whose time has not come. */
export type BusOutcome = 'published' | 'handled' | 'retried' | 'requeued' | 'dead_lettered';

type Told = Exclude<ConsumerAction, 'DEAD_LETTER'>;

export async function handleMessage(
  message: BusMessage & { redelivered?: boolean },
  parts: HandlingParts,
): Promise<Told> {
  const { clock, logger, signal } = parts;
  const headers = message.headers ?? {};
  const retries = countRetries(headers, parts.queue);
  const event = readEvent(message);
  const about = { eventId: message.messageId, type: 'type' in event ? event.type : message.type, retries };
  const earlyMs = 'type' in event && parts.handlerOf(event.type) ? earlyByMs(event, clock.now()) : 0;
  // Nobody has tried it yet, so this is no failure, however often the message has been here.
  if (earlyMs > 0) return waitAndRequeue(parts, earlyMs);
  const context = { retries, headers, redelivered: message.redelivered ?? false, signal };
  const answer = await answerTo(event, context, parts);
  const action = consumerAction(answer.status, { retries, maxRetries: parts.maxRetries });
  if (action === 'ACK') {
    logger.debug({ ...about, status: answer.status }, 'event handled');
    parts.onOutcome('handled');
    return action;
  }
  const outcome = { ...about, status: answer.status, err: answer.error };
  if (action === 'REQUEUE') return waitAndRequeue(parts, Number.POSITIVE_INFINITY);
  if (action === 'DROP') {
    logger.warn(outcome, 'event failed; it is tried again');
    parts.onOutcome('retried');
    return action;
  }
  try {
    await parts.moveToDeadLetters(
      message,
      deadLetterHeaders(headers, { ...answer, retries, queue: parts.queue }),
    );
  } catch (error) {
    logger.error({ ...about, err: messageOf(error) }, 'event could not be moved to the dead-letter queue');
    return waitAndRequeue(parts, Number.POSITIVE_INFINITY);
  }
  killPoint('bus:dead-lettered');
  logger.error({ ...outcome, code: MAX_RETRIES_EXCEEDED }, 'event moved to the dead-letter queue');
  parts.onOutcome('dead_lettered');
  return 'ACK';
}

export const MAX_RETRIES_EXCEEDED = 'RABBITMQ_MESSAGE_MAX_RETRIES_EXCEEDED';

interface Answer {
  status: number | null;
  error: string | null;
}

async function answerTo(
  event: BusEvent | { problem: string },
  context: HandlingContext,
  parts: HandlingParts,
): Promise<Answer> {
  if ('problem' in event) return { status: 400, error: event.problem };
  const handler = parts.handlerOf(event.type);
  // Every service of the prefix hears everything; what it has no handler for is not its business.
  if (!handler) return { status: 204, error: null };
  try {
    const answer = (await handler(event, context)) ?? 200;
    const { status, error } = typeof answer === 'object' ? answer : { status: answer, error: undefined };
    if (Number.isInteger(status) && status >= 100 && status <= 599)
      return { status, error: shortened(error ?? null) };
    return { status: null, error: shortened(`the handler answered ${String(status)}`) };
  } catch (error) {
    return { status: null, error: shortened(messageOf(error)) };
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

function deadLetterHeaders(
  headers: Headers,
  { status, error, retries, queue }: Answer & { retries: number; queue: string },
): Headers {
  const kept = Object.entries(headers).filter(([name]) => !OURS.has(name));
  return {
    ...Object.fromEntries(kept),
    'x-original-queue': queue,
    ...(status !== null && { 'x-final-status-code': status }),
    ...(error !== null && { 'x-final-error': error }),
    [FINAL_RETRY_COUNT]: retries,
    [FINAL_DEATHS]: deathsIn(headers, queue),
  };
}

const OURS = new Set([
  'x-original-queue',
  'x-final-status-code',
  'x-final-error',
  FINAL_RETRY_COUNT,
  FINAL_DEATHS,
]);
const MAX_ERROR = 1000;

/** A header has little room, and a message must not fail for the reason it failed. */
function shortened(error: string | null): string | null {
  return error === null ? null : toStorableText(error.slice(0, MAX_ERROR));
}
