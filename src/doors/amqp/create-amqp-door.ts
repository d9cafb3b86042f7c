import type { ForeignAnswer, ForeignMessage, ReceiveForeign } from '../../dispatch/index.js';
import {
  isPostriderError,
  type Logger,
  messageOf,
  PostriderError,
  readJsonInTurns,
} from '../../kernel/index.js';

/**
 * Emails that other services publish as `{ type, … }`: what `send` takes, as one JSON object. The same message
 * id is accepted once within a day, so a message that comes again after a crash gives no second email. What is
 * wrong with a message is said with the field's name and decided for good; what passes is tried again, and a fault of
 * ours so often and no more.
 * Whoever may publish to the broker may send for any company.
 */
export interface AmqpDoorOptions {
  /** Committed when it returns. */
  accept(
    email: object,
    options: { requestId?: string; idempotencyKey?: string },
  ): Promise<{ emailId: string }>;
  /** Another round for an email whose dead letter was put back; returns why not, or null. */
  retry(emailId: string): Promise<string | null>;
  /** What one email may be as JSON, in bytes. */
  maxBytes: number;
  logger: Logger;
}

/** Not the message's fault. */
const PASSES = new Set([
  'STORE_UNAVAILABLE',
  'STORE_REFUSED',
  'STORE_BUSY',
  'STORE_FAILED',
  'STORE_NOT_MIGRATED',
  'IDEMPOTENCY_IN_PROGRESS',
  'STOPPED',
]);
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
/** Some clients name the encoding of characters here. */
const PLAIN_ENCODING = /^(?:identity|utf-?8)$/i;
const MESSAGE_ID = /^[\x20-\x7e]{1,250}$/;

export function createAmqpDoor({ accept, retry, maxBytes, logger }: AmqpDoorOptions): ReceiveForeign {
  async function receive(message: ForeignMessage): Promise<ForeignAnswer> {
    if (message.deadLetterOf !== null) return again(message.deadLetterOf);
    const { messageId, correlationId, contentEncoding } = message;
    if (messageId !== null && !MESSAGE_ID.test(messageId))
      throw new PostriderError('INVALID_PAYLOAD', 'messageId must be 1 to 250 printable ASCII characters.', {
        field: 'messageId',
      });
    if (contentEncoding !== null && !PLAIN_ENCODING.test(contentEncoding))
      throw new PostriderError('UNSUPPORTED_MEDIA_TYPE', 'The message must not be compressed.', {
        field: 'contentEncoding',
      });
    const email = await readEmail(message.body, maxBytes);
    const { emailId } = await accept(email, {
      ...(correlationId !== null && REQUEST_ID.test(correlationId) && { requestId: correlationId }),
      ...(messageId !== null && { idempotencyKey: `amqp:${messageId}` }),
    });
    logger.info({ outboxId: emailId, messageId }, 'amqp message accepted');
    return { kind: 'done' };
  }

  async function again(emailId: string): Promise<ForeignAnswer> {
    const why = await retry(emailId);
    if (why !== null)
      throw new PostriderError('DEAD_LETTER_NOT_RETRYABLE', `It cannot be tried again: ${why}.`);
    logger.info({ outboxId: emailId }, 'dead letter put back by the broker');
    return { kind: 'done' };
  }

  return async (message) => {
    try {
      return await receive(message);
    } catch (error) {
      // A fault of ours may have been brought about by this message: it is tried again, but not for ever.
      if (!isPostriderError(error) || error.code === 'INTERNAL')
        return {
          ...{ kind: 'later', message: messageOf(error), code: 'INTERNAL' },
          ...(error instanceof Error && error.stack !== undefined && { stack: error.stack }),
        };
      if (PASSES.has(error.code)) return { kind: 'later', message: messageOf(error) };
      const { code, field } = error;
      return { kind: 'refused', code, message: reasonOf(error), ...(field !== undefined && { field }) };
    }
  };
}

/** The object it holds. Refuses what is not JSON within its limits. */
async function readEmail(body: Buffer, maxBytes: number): Promise<object> {
  const email = await readJsonInTurns(async () => body, { what: 'The message', maxBytes });
  if (typeof email !== 'object' || email === null || Array.isArray(email))
    throw new PostriderError('INVALID_PAYLOAD', 'The message is not a JSON object.');
  const { type } = email as { type?: unknown };
  if (typeof type !== 'string' || type === '')
    throw new PostriderError('INVALID_PAYLOAD', 'type is missing.', { field: 'type' });
  return email;
}

/** Most messages say which field they are about. */
function reasonOf({ message, field }: PostriderError): string {
  return field === undefined || message.includes(field) ? message : `${field}: ${message}`;
}
