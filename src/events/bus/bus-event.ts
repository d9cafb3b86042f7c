import type { Envelope, RawMessage } from '../../amqp/index.js';
import {
  isPostriderError,
  isStorableText,
  newId,
  PostriderError,
  readJsonInTurns,
  refuseUnknownKeys,
} from '../../kernel/index.js';

/** One event on the bus: what is published, how it stands in a message, and what of a message is one. */
export interface BusEvent {
  /** The same whenever the event comes again. Null for a message of a publisher that gives none. */
  id: string | null;
  type: string;
  data: unknown;
  /** The service that published it. */
  source: string | null;
  occurredAt: string | null;
  /** Not to be handled before so long after `occurredAt`. */
  processAfterDelayMs: number | null;
  companyId: string | null;
}

export interface NewBusEvent {
  type: string;
  data?: unknown;
  /** Publish again with the same id after a failure, and nobody takes it for another event. */
  id?: string;
  occurredAt?: Date | string;
  processAfterDelayMs?: number;
  companyId?: string;
}

/** Why a message is no event, and the field at fault where there is one. */
export interface Problem {
  problem: string;
  field?: string;
  /** Where it could be read. */
  type?: string;
}

const FIELDS = ['type', 'data', 'id', 'occurredAt', 'processAfterDelayMs', 'companyId'];
/** What goes into a property of a message has 255 bytes. */
const NAME = /^[\u0021-\u007e]{1,200}$/;
const MAX_DELAY_MS = 30 * 24 * 3_600_000;
const MAX_BYTES = 16 * 1024 ** 2;
/** As ISO 8601 and most languages write it: `T` or a blank, with or without an offset, which may lack its colon. */
const ISO_TIME =
  /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)([Zz]|[+-]\d{2}:?\d{2})?)?$/;
/** Some clients name the encoding of characters here. */
const PLAIN_ENCODING = /^(?:identity|utf-?8)$/i;

export function writeEvent(
  event: NewBusEvent,
  service: string,
  now: number,
): { envelope: Envelope; body: Buffer } {
  refuseUnknownKeys(event, FIELDS, 'INVALID_PAYLOAD');
  const { type, id = newId(now), processAfterDelayMs: delay, companyId } = event;
  if (!isName(type)) throw refused('type', 'must be 1 to 200 printable ASCII characters without spaces');
  if (!isName(id)) throw refused('id', 'must be 1 to 200 printable ASCII characters without spaces');
  if (delay !== undefined && !isDelay(delay))
    throw refused('processAfterDelayMs', `must be whole milliseconds from 0 to ${MAX_DELAY_MS}`);
  if (companyId !== undefined && !isStorableText(companyId)) throw refused('companyId', 'must be a text');
  const given = event.occurredAt ?? new Date(now);
  const occurredAt = new Date(typeof given === 'string' ? readTime(given) : given);
  if (Number.isNaN(occurredAt.getTime()))
    throw refused('occurredAt', 'must be a Date or an ISO 8601 time; without an offset it is UTC');
  const body = JSON.stringify({
    ...{ id, type, source: service, occurredAt: occurredAt.toISOString() },
    ...(companyId !== undefined && { companyId }),
    ...(delay !== undefined && { processAfterDelayMs: delay }),
    data: event.data ?? {},
  });
  return {
    envelope: {
      ...{ messageId: id, type, appId: service, contentType: 'application/json', durable: true },
      // The property has no sign; the body says it in any case.
      timestamp: Math.max(0, Math.floor(occurredAt.getTime() / 1000)),
    },
    body: Buffer.from(body),
  };
}

/**
 * The event of a message, or why it is none. What the body lacks is taken from the message's properties. A delay without
 * a time to count from is refused: nobody could say when it ends.
 */
export async function readEvent({ properties, body: bytes }: RawMessage): Promise<BusEvent | Problem> {
  const encoding = properties.text('contentEncoding');
  if (encoding !== null && !PLAIN_ENCODING.test(encoding))
    return { problem: 'the event must not be compressed', field: 'contentEncoding' };
  const parsed = await parsedBody(bytes);
  if ('problem' in parsed) return parsed;
  const body = parsed.fields;
  const type = body.type ?? properties.text('type');
  if (!isName(type)) return { problem: 'the message has no type', field: 'type' };
  const id = body.id ?? properties.text('messageId');
  const delay = body.processAfterDelayMs;
  if (delay !== undefined && !isDelay(delay))
    return { type, problem: 'processAfterDelayMs is not a delay', field: 'processAfterDelayMs' };
  const occurredAt = timeOf(body.occurredAt, properties.timestamp());
  if (delay !== undefined && occurredAt === null)
    return {
      type,
      problem:
        'processAfterDelayMs needs occurredAt as an ISO 8601 time, or a timestamp of the message, to count from',
      field: 'processAfterDelayMs',
    };
  const source = textOf(body.source) ?? properties.text('appId');
  if (source !== null && !isSource(source))
    return {
      type,
      problem: 'source is longer than 255 characters, or no text that can be kept',
      field: 'source',
    };
  return {
    id: isName(id) ? id : null,
    type,
    data: body.data ?? {},
    source,
    occurredAt,
    processAfterDelayMs: delay ?? null,
    companyId: textOf(body.companyId),
  };
}

/** How long the event must still wait. */
export function earlyByMs({ occurredAt, processAfterDelayMs }: BusEvent, now: number): number {
  if (processAfterDelayMs === null || occurredAt === null) return 0;
  return Math.max(0, Date.parse(occurredAt) + processAfterDelayMs - now);
}

/** An event from a far future would wait for ever. */
export function isTooEarly(earlyMs: number): boolean {
  return earlyMs > MAX_DELAY_MS;
}

export const TOO_EARLY: Problem = {
  problem: `occurredAt and processAfterDelayMs end more than ${MAX_DELAY_MS / 86_400_000} days from now`,
  field: 'occurredAt',
};

async function parsedBody(bytes: Buffer): Promise<{ fields: Record<string, unknown> } | Problem> {
  try {
    const body = await readJsonInTurns(async () => bytes, { what: 'The event', maxBytes: MAX_BYTES });
    if (typeof body === 'object' && body !== null && !Array.isArray(body))
      return { fields: body as Record<string, unknown> };
    return { problem: 'The event is not a JSON object.' };
  } catch (error) {
    if (!isPostriderError(error)) throw error;
    return { problem: error.message };
  }
}

function timeOf(occurredAt: unknown, seconds: number | null): string | null {
  const at = typeof occurredAt === 'string' ? readTime(occurredAt) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  const stamped = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(stamped.getTime()) ? null : stamped.toISOString();
}

/** Without an offset it is UTC: Date.parse would take the zone of the process, which differs between two workers. */
function readTime(text: string): number {
  const match = ISO_TIME.exec(text);
  if (match === null) return Number.NaN;
  const [, day, time = '00:00', offset = 'Z'] = match;
  return Date.parse(`${day}T${time}${offset.replace(/(\d)(\d\d)$/, '$1:$2').toUpperCase()}`);
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

function isDelay(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_DELAY_MS;
}

/** Known by it, with type and id, so it stands in an index. */
function isSource(source: string): boolean {
  return source.length <= 255 && isStorableText(source);
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
