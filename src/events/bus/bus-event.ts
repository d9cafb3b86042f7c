import type { Envelope } from 'rabbitmq-client';
import { isStorableText, newId, PostriderError, refuseUnknownKeys } from '../../kernel/index.js';
import type { Headers } from './retry-count.js';

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

/** As the client hands it over: JSON parsed where it could be. */
export interface BusMessage {
  body: unknown;
  headers?: Headers;
  messageId?: string;
  type?: string;
  timestamp?: number;
  appId?: string;
}

const FIELDS = ['type', 'data', 'id', 'occurredAt', 'processAfterDelayMs', 'companyId'];
/** What goes into a property of a message has 255 bytes. */
const NAME = /^[\u0021-\u007e]{1,200}$/;
const MAX_DELAY_MS = 30 * 24 * 3_600_000;

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
  const occurredAt = new Date(event.occurredAt ?? now);
  if (Number.isNaN(occurredAt.getTime())) throw refused('occurredAt', 'must be a time');
  const body = JSON.stringify({
    ...{ id, type, source: service, occurredAt: occurredAt.toISOString() },
    ...(companyId !== undefined && { companyId }),
    ...(delay !== undefined && { processAfterDelayMs: delay }),
    data: event.data ?? {},
  });
  return {
    envelope: {
      ...{ messageId: id, type, appId: service, contentType: 'application/json', durable: true },
      timestamp: Math.floor(occurredAt.getTime() / 1000),
    },
    body: Buffer.from(body),
  };
}

/** The event of a message, or why it is none. What the body lacks is taken from the message's properties. */
export function readEvent(message: BusMessage): BusEvent | { problem: string } {
  const body = parsedBody(message.body);
  if (body === null) return { problem: 'the body is not a JSON object' };
  const type = body.type ?? message.type;
  if (!isName(type)) return { problem: 'the message has no type' };
  const id = body.id ?? message.messageId;
  const delay = body.processAfterDelayMs;
  if (delay !== undefined && !isDelay(delay)) return { problem: 'processAfterDelayMs is not a delay' };
  return {
    id: isName(id) ? id : null,
    type,
    data: body.data ?? {},
    source: textOf(body.source) ?? textOf(message.appId),
    occurredAt: timeOf(body.occurredAt, message.timestamp),
    processAfterDelayMs: delay ?? null,
    companyId: textOf(body.companyId),
  };
}

/** How long the event must still wait. One that does not say when it was published does not wait. */
export function earlyByMs({ occurredAt, processAfterDelayMs }: BusEvent, now: number): number {
  if (processAfterDelayMs === null || occurredAt === null) return 0;
  return Math.max(0, Date.parse(occurredAt) + processAfterDelayMs - now);
}

function parsedBody(body: unknown): Record<string, unknown> | null {
  let value = body;
  if (Buffer.isBuffer(body) || typeof body === 'string') {
    try {
      value = JSON.parse(body.toString());
    } catch {
      return null;
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null;
}

function timeOf(occurredAt: unknown, seconds: number | undefined): string | null {
  const at = typeof occurredAt === 'string' ? Date.parse(occurredAt) : Number.NaN;
  if (!Number.isNaN(at)) return new Date(at).toISOString();
  const stamped = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(stamped.getTime()) ? null : stamped.toISOString();
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && NAME.test(value);
}

function isDelay(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0 && Number(value) <= MAX_DELAY_MS;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function refused(field: string, what: string): PostriderError {
  return new PostriderError('INVALID_PAYLOAD', `${field} ${what}.`, { field });
}
