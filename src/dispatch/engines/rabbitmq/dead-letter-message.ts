import type { RawMessage } from '../../../amqp/index.js';
import { isUuid } from '../../../kernel/index.js';
import type { GivenUp, Settlement } from '../../../outbox/index.js';
import { OUR_APP, readOurs } from './bell-message.js';
import type { OutgoingMessage } from './rabbit-publisher.js';
import { DEAD_LETTER_QUEUE } from './topology.js';

/**
 * What goes to the dead-letter queue: the mirror of an email that failed for good, and messages of others that
 * could not be accepted. Both carry the headers that say why. The mirror names the email and holds none of it.
 */
export type FailureType = 'SMTP_PERMANENT_FAILURE' | 'MAX_RETRIES_EXCEEDED' | 'UNKNOWN_ERROR';

export interface DeadLetterHeaders {
  'x-retry-count': number;
  'x-error-code': string;
  'x-error-message': string;
  'x-failed-at': string;
  'x-failure-type': FailureType;
  'x-response-code'?: number;
  'x-error-stack'?: string;
}

export const HEADER_NAMES = [
  'x-retry-count',
  'x-error-code',
  'x-error-message',
  'x-failed-at',
  'x-failure-type',
  'x-response-code',
  'x-error-stack',
] as const;

type Ended = GivenUp | (Omit<GivenUp, 'status'> & Pick<Settlement, 'status' | 'detail'>);

const MIRROR = 'email.deadLetter';
const MAX_TEXT = 1000;

export function endedForGood({ status }: Settlement): boolean {
  return status === 'failed' || status === 'unknown';
}

/** Of an attempt that ended an email, or of an email that ended without one. */
export function mirrorMessage(settlement: Ended, now: number): OutgoingMessage {
  const { id, token, attempt, status, errorCode, errorMessage } = settlement;
  const responseCode = smtpCodeOf(settlement);
  const headers: DeadLetterHeaders = {
    'x-retry-count': Math.max(0, attempt - 1),
    'x-error-code': errorCode ?? 'UNKNOWN',
    'x-error-message': (errorMessage ?? '').slice(0, MAX_TEXT),
    'x-failed-at': new Date(now).toISOString(),
    'x-failure-type': failureTypeOf(settlement, responseCode),
    ...(responseCode !== null && { 'x-response-code': responseCode }),
  };
  return {
    to: { queue: DEAD_LETTER_QUEUE },
    messageId: id,
    type: MIRROR,
    properties: { appId: OUR_APP, headers: { ...headers } },
    body: { outboxId: id, token, attempt, status },
  };
}

/** The email a mirror is about; null for what is no mirror. */
export function readMirror(message: RawMessage): string | null {
  const { outboxId } = readOurs(message, MIRROR) ?? {};
  return typeof outboxId === 'string' && isUuid(outboxId) ? outboxId : null;
}

export function refusalHeaders(refusal: { code: string; message: string; retries: number }, now: number) {
  return {
    'x-retry-count': refusal.retries,
    'x-error-code': refusal.code,
    'x-error-message': refusal.message.slice(0, MAX_TEXT),
    'x-failed-at': new Date(now).toISOString(),
    'x-failure-type': 'UNKNOWN_ERROR',
  } satisfies DeadLetterHeaders;
}

function failureTypeOf(settlement: Ended, responseCode: number | null): FailureType {
  if (detailOf(settlement)?.failureType === 'MAX_RETRIES_EXCEEDED') return 'MAX_RETRIES_EXCEEDED';
  const permanent = responseCode !== null && responseCode >= 500 && settlement.status === 'failed';
  return permanent ? 'SMTP_PERMANENT_FAILURE' : 'UNKNOWN_ERROR';
}

/** A reply of an SMTP server; other providers' numbers are those of HTTP. */
function smtpCodeOf(ended: Ended): number | null {
  const code = detailOf(ended)?.originalCode;
  return ended.errorCode?.startsWith('SMTP_') && typeof code === 'number' ? code : null;
}

function detailOf(ended: Ended): Settlement['detail'] {
  return 'detail' in ended ? ended.detail : null;
}
