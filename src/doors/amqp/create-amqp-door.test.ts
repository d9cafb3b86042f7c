import { describe, expect, it, vi } from 'vitest';
import type { ForeignMessage } from '../../dispatch/index.js';
import { PostriderError, silentLogger } from '../../kernel/index.js';
import { createAmqpDoor } from './create-amqp-door.js';

const EMAIL = { type: 'USER_CERTIFICATION', to: 'a@example.com', data: { code: '123456' } };

function open(refusal?: Error, why: string | null = null) {
  const accept = vi.fn(async (_email: object, _options: object) => {
    if (refusal) throw refusal;
    return { emailId: 'e1' };
  });
  const retry = vi.fn(async () => why);
  const door = createAmqpDoor({ accept, retry, maxBytes: 10_000, logger: silentLogger });
  const receive = ({
    body = EMAIL,
    ...message
  }: Partial<Omit<ForeignMessage, 'body'>> & { body?: unknown }) =>
    door({
      ...{ messageId: null, correlationId: null, contentEncoding: null, deadLetterOf: null, ...message },
      body: Buffer.isBuffer(body)
        ? body
        : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body)),
    });
  return { accept, retry, receive };
}

describe('the amqp door', () => {
  it('an object of JSON → accepted under its message id and correlation id', async () => {
    const { accept, receive } = open();
    for (const contentEncoding of [null, 'utf-8', 'identity'])
      expect(await receive({ contentEncoding, messageId: 'm-1', correlationId: 'r-1' })).toEqual({
        kind: 'done',
      });
    expect(accept.mock.calls).toEqual(
      Array(3).fill([EMAIL, { requestId: 'r-1', idempotencyKey: 'amqp:m-1' }]),
    );
  });

  it('no ids, or a correlation id no request could have → accepted without', async () => {
    const { accept, receive } = open();
    await receive({ correlationId: 'a b\nc' });
    expect(accept).toHaveBeenCalledWith(EMAIL, {});
  });

  it.each([
    ['{', 'not valid JSON'],
    ['['.repeat(5000), 'nested deeper than 64 levels'],
    [`"${'x'.repeat(10_000)}"`, 'larger than 10000 bytes'],
    ['[1]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    [Buffer.from('{"type":"J\u00fcrgen"}', 'latin1'), 'not valid UTF-8'],
    [{ to: 'a@example.com' }, 'type is missing'],
    [{ type: 7 }, 'type is missing'],
  ])('body %j → refused for good: %s', async (body, says) => {
    const { accept, receive } = open();
    expect(await receive({ body })).toMatchObject({
      kind: 'refused',
      code: expect.stringMatching(/^(?:INVALID_PAYLOAD|INVALID_JSON|PAYLOAD_TOO_LARGE)$/),
      message: expect.stringContaining(says),
    });
    expect(accept).not.toHaveBeenCalled();
  });

  it('a message id that no key could be, or a compressed body → refused', async () => {
    expect(await open().receive({ messageId: 'ä' })).toMatchObject({ kind: 'refused', field: 'messageId' });
    expect(await open().receive({ contentEncoding: 'gzip' })).toMatchObject({
      ...{ kind: 'refused', code: 'UNSUPPORTED_MEDIA_TYPE', field: 'contentEncoding' },
    });
  });

  it.each([
    ['to is missing.', 'to is missing.'],
    ['is no address.', 'to: is no address.'],
  ])('intake refuses a field with "%s" → refused with its name, once', async (says, message) => {
    const { receive } = open(new PostriderError('INVALID_EMAIL', says, { field: 'to' }));
    expect(await receive({})).toEqual({ kind: 'refused', code: 'INVALID_EMAIL', field: 'to', message });
  });

  it.each([
    new PostriderError('STORE_UNAVAILABLE', 'away'),
    new PostriderError('IDEMPOTENCY_IN_PROGRESS', 'at this moment'),
    new Error('who knows'),
  ])('%s → it waits in the queue', async (error) => {
    expect((await open(error).receive({})).kind).toBe('later');
  });

  it('a dead letter put back → another round in the ledger, or why not', async () => {
    const { accept, retry, receive } = open();
    expect(await receive({ deadLetterOf: 'e9' })).toEqual({ kind: 'done' });
    expect(retry).toHaveBeenCalledWith('e9');
    expect(accept).not.toHaveBeenCalled();
    expect(await open(undefined, 'content-gone').receive({ deadLetterOf: 'e9' })).toMatchObject({
      kind: 'refused',
      code: 'DEAD_LETTER_NOT_RETRYABLE',
    });
  });
});
