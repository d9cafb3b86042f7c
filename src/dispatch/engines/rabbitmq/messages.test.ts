import { describe, expect, it } from 'vitest';
import { MessageProperties, type RawMessage } from '../../../amqp/index.js';
import type { Settlement } from '../../../outbox/index.js';
import { bellMessage, readBell } from './bell-message.js';
import { endedForGood, mirrorMessage, readMirror, refusalHeaders } from './dead-letter-message.js';
import type { OutgoingMessage } from './rabbit-publisher.js';

const ID = '01890000-0000-7000-8000-000000000001';
const NOW = Date.UTC(2030, 0, 1);

/** As the message would be delivered. */
function delivered(
  { properties = {}, type, messageId, body }: OutgoingMessage,
  change: { appId?: string; type?: string; body?: unknown } = {},
): RawMessage {
  const { appId } = properties;
  const said = { appId, type, ...change };
  return {
    ...{ deliveryTag: 1, redelivered: false },
    properties: MessageProperties.of({ messageId, appId: said.appId, type: said.type }),
    body: Buffer.from(JSON.stringify('body' in change ? change.body : body)),
  };
}

describe('a bell', () => {
  const OURS = { to: { queue: 'q' }, store: 'one' };
  it('sent and read → the same id, token and store, and nothing of the email', () => {
    const message = bellMessage({ id: ID, token: 7 }, OURS);
    expect(readBell(delivered(message))).toEqual({ id: ID, token: 7, store: 'one' });
    expect(Object.keys(message.body as object)).toEqual(['outboxId', 'token', 'store']);
  });

  it('of code that names no store → a bell all the same', () => {
    const message = { ...bellMessage({ id: ID, token: 7 }, OURS), body: { outboxId: ID, token: 7 } };
    expect(readBell(delivered(message))).toEqual({ id: ID, token: 7, store: null });
  });

  it.each([
    [{ appId: 'another' }],
    [{ type: 'something' }],
    [{ body: null }],
    [{ body: 'text' }],
    [{ body: { outboxId: ID, token: 1, more: 'x'.repeat(2000) } }],
    [{ body: { outboxId: 'no id', token: 1 } }],
    [{ body: { outboxId: ID } }],
    [{ body: { outboxId: ID, token: -1 } }],
    [{ body: { outboxId: ID, token: 1.5 } }],
    [{ body: { outboxId: ID, token: 2 ** 31 } }],
  ])('%j → no bell', (change) => {
    expect(readBell(delivered(bellMessage({ id: ID, token: 1 }, OURS), change))).toBeNull();
  });
});

describe('a mirror of a dead letter', () => {
  const failed = (change: Partial<Settlement>) =>
    mirrorMessage(
      { id: ID, token: 3, attempt: 4, status: 'failed', detail: null, ...change } as Settlement,
      NOW,
    );

  it.each([
    ['SMTP_PERMANENT_FAILURE', 550, { errorCode: 'SMTP_550', detail: { originalCode: 550 } }],
    ['SMTP_PERMANENT_FAILURE', 554, { errorCode: 'SMTP_554', detail: { originalCode: 554 } }],
    [
      'MAX_RETRIES_EXCEEDED',
      451,
      { errorCode: 'SMTP_451', detail: { originalCode: 451, failureType: 'MAX_RETRIES_EXCEEDED' } },
    ],
    [
      'UNKNOWN_ERROR',
      451,
      { errorCode: 'SMTP_451', detail: { originalCode: 451, failureType: 'UNKNOWN_ERROR' } },
    ],
    ['UNKNOWN_ERROR', undefined, { errorCode: 'RESEND_VALIDATION', detail: { originalCode: 422 } }],
    ['UNKNOWN_ERROR', undefined, { errorCode: 'INVALID_TEMPLATE' }],
    ['UNKNOWN_ERROR', undefined, { status: 'unknown' as const, errorCode: 'SMTP_TIMEOUT_AFTER_DATA' }],
  ])('%s with reply %s for %j', (failureType, responseCode, change) => {
    const headers = failed(change)?.properties?.headers;
    expect(headers).toMatchObject({
      'x-retry-count': 3,
      'x-error-code': change.errorCode,
      'x-failed-at': '2030-01-01T00:00:00.000Z',
      'x-failure-type': failureType,
    });
    expect(headers?.['x-response-code']).toBe(responseCode);
  });

  it.each([
    ['sent', false],
    ['retry', false],
    ['failed', true],
    ['unknown', true],
  ] as const)('%s → over for good: %s', (status, over) => {
    expect(endedForGood({ status } as Settlement)).toBe(over);
  });

  it('of an email that expired after two attempts → says so, with one retry', () => {
    const gone = { id: ID, token: 3, attempt: 2, status: 'expired', errorCode: 'EXPIRED' } as const;
    const { properties, body } = mirrorMessage({ ...gone, errorMessage: 'its time has passed' }, NOW);
    expect(body).toMatchObject({ outboxId: ID, status: 'expired' });
    expect(properties?.headers).toMatchObject({
      ...{ 'x-retry-count': 1, 'x-error-code': 'EXPIRED', 'x-error-message': 'its time has passed' },
      'x-failure-type': 'UNKNOWN_ERROR',
    });
  });

  it('read back → the email it is about; a forged or broken one → none', () => {
    const mirror = failed({});
    expect(readMirror(delivered(mirror))).toBe(ID);
    for (const change of [{ appId: 'another' }, { body: null }, { body: { outboxId: 'x' } }])
      expect(readMirror(delivered(mirror, change))).toBeNull();
  });
});

describe('headers of a refusal', () => {
  it('a refusal with a long reason → bounded', () => {
    const headers = refusalHeaders({ code: 'C', message: 'x'.repeat(9000), retries: 2 }, NOW);
    expect(headers['x-error-message']).toHaveLength(1000);
    expect(headers).toMatchObject({ 'x-retry-count': 2, 'x-failure-type': 'UNKNOWN_ERROR' });
  });
});
