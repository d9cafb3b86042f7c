import type { AsyncMessage } from 'rabbitmq-client';
import { isUuid } from '../../../kernel/index.js';
import type { BellRef } from '../../../outbox/index.js';
import type { OutgoingMessage } from './rabbit-publisher.js';

/**
 * A bell as a message: the id of an email and the token its row must carry. Nothing else of the email is in
 * it. What others publish to the same queue is told apart by the properties; a forged bell matches no row.
 */
export const OUR_APP = 'postrider';
const BELL = 'email.bell';

export function bellMessage({ id, token }: BellRef, to: OutgoingMessage['to']): OutgoingMessage {
  return {
    to,
    messageId: `${id}:${token}`,
    type: BELL,
    properties: { appId: OUR_APP },
    body: { outboxId: id, token },
  };
}

/** null for what is no bell. */
export function readBell({ appId, type, body }: AsyncMessage): { id: string; token: number } | null {
  if (appId !== OUR_APP || type !== BELL || typeof body !== 'object' || body === null) return null;
  const { outboxId, token } = body as { outboxId?: unknown; token?: unknown };
  if (typeof outboxId !== 'string' || !isUuid(outboxId)) return null;
  return isToken(token) ? { id: outboxId, token } : null;
}

function isToken(token: unknown): token is number {
  return Number.isInteger(token) && (token as number) >= 0 && (token as number) <= 0x7fffffff;
}
