import type { ForeignAnswer, ForeignMessage, ReceiveForeign } from '../../dispatch/index.js';
import { isPostriderError, type Logger, messageOf } from '../../kernel/index.js';

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
  logger: Logger;
}

/** Not the message's fault. */
const PASSES = new Set(['STORE_UNAVAILABLE', 'STORE_REFUSED', 'IDEMPOTENCY_IN_PROGRESS', 'STOPPED']);
const REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;
const MESSAGE_ID = /^[\x20-\x7e]{1,250}$/;

export function createAmqpDoor({ accept, retry, logger }: AmqpDoorOptions): ReceiveForeign {
  async function receive(message: ForeignMessage): Promise<ForeignAnswer> {
    if (message.deadLetterOf !== null) return again(message.deadLetterOf);
    const { messageId, correlationId } = message;
    if (messageId !== null && !MESSAGE_ID.test(messageId)) {
      return refused('INVALID_PAYLOAD', 'messageId must be 1 to 250 printable ASCII characters.');
    }
    const email = readEmail(message.body);
    if (typeof email === 'string') return refused('INVALID_PAYLOAD', email);
    const { emailId } = await accept(email, {
      ...(correlationId !== null && REQUEST_ID.test(correlationId) && { requestId: correlationId }),
      ...(messageId !== null && { idempotencyKey: `amqp:${messageId}` }),
    });
    logger.info({ outboxId: emailId, messageId }, 'amqp message accepted');
    return { kind: 'done' };
  }

  async function again(emailId: string): Promise<ForeignAnswer> {
    const why = await retry(emailId);
    if (why !== null) return refused('DEAD_LETTER_NOT_RETRYABLE', `It cannot be tried again: ${why}.`);
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
      return refused(error.code, error.field ? `${error.field}: ${error.message}` : error.message);
    }
  };
}

function refused(code: string, message: string): ForeignAnswer {
  return { kind: 'refused', code, message };
}

/** The object it holds, or what is wrong with it. */
function readEmail(body: unknown): object | string {
  let parsed = body;
  if (Buffer.isBuffer(body) || typeof body === 'string') {
    try {
      parsed = JSON.parse(body.toString());
    } catch {
      return 'The message is not JSON.';
    }
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return 'The message is not a JSON object.';
  }
  const { type } = parsed as { type?: unknown };
  return typeof type === 'string' && type !== '' ? parsed : 'type is missing.';
}
