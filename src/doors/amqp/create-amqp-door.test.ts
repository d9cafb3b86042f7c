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
  const door = createAmqpDoor({ accept, retry, logger: silentLogger });
  const receive = (message: Partial<ForeignMessage>) =>
    door({ messageId: null, correlationId: null, body: EMAIL, deadLetterOf: null, ...message });
  return { accept, retry, receive };
}

describe('the amqp door', () => {
  it('an object, text or bytes of JSON → accepted under its message id and correlation id', async () => {
    const { accept, receive } = open();
    for (const body of [EMAIL, JSON.stringify(EMAIL), Buffer.from(JSON.stringify(EMAIL))]) {
      expect(await receive({ body, messageId: 'm-1', correlationId: 'r-1' })).toEqual({ kind: 'done' });
    }
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
    ['{', 'not JSON'],
    ['[1]', 'not a JSON object'],
    ['null', 'not a JSON object'],
    [Buffer.from([0xff, 0xfe]), 'not JSON'],
    [{ to: 'a@example.com' }, 'type is missing'],
    [{ type: 7 }, 'type is missing'],
  ])('body %j → refused for good: %s', async (body, says) => {
    const { accept, receive } = open();
    expect(await receive({ body })).toMatchObject({
      kind: 'refused',
      code: 'INVALID_PAYLOAD',
      message: expect.stringContaining(says),
    });
    expect(accept).not.toHaveBeenCalled();
  });

  it('a message id that no key could be → refused', async () => {
    expect(await open().receive({ messageId: 'ä' })).toMatchObject({ kind: 'refused' });
  });

  it('intake refuses a field → refused with its name', async () => {
    const { receive } = open(new PostriderError('INVALID_EMAIL', 'is no address.', { field: 'to' }));
    expect(await receive({})).toEqual({
      kind: 'refused',
      code: 'INVALID_EMAIL',
      message: 'to: is no address.',
    });
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
