import type { RawMessage } from '../../../amqp/index.js';
import { isUuid, readJson } from '../../../kernel/index.js';
import type { BellRef } from '../../../outbox/index.js';
import type { OutgoingMessage } from './rabbit-publisher.js';

/**
 * A bell as a message: the id of an email, the token its row must carry, and the store it is in. Nothing else of
 * the email is in it. What others publish to the same queue is told apart by the properties; a forged bell matches
 * no row.
 */
export const OUR_APP = 'postrider';
const BELL = 'email.bell';

export function bellMessage(
  { id, token }: BellRef,
  { to, store }: { to: OutgoingMessage['to']; store: string },
): OutgoingMessage {
  return {
    to,
    messageId: `${id}:${token}`,
    type: BELL,
    properties: { appId: OUR_APP },
    body: { outboxId: id, token, store },
  };
}

export interface ReadBell {
  id: string;
  token: number;
  /** null: of code that did not say. */
  store: string | null;
}

/** null for what is no bell. */
export function readBell(message: RawMessage): ReadBell | null {
  const { outboxId, token, store } = readOurs(message, BELL) ?? {};
  if (typeof outboxId !== 'string' || !isUuid(outboxId) || !isToken(token)) return null;
  return { id: outboxId, token, store: typeof store === 'string' ? store : null };
}

/** The fields of a small message that Postrider wrote itself, or null where another did. */
export function readOurs({ properties, body }: RawMessage, type: string): Record<string, unknown> | null {
  if (properties.text('appId') !== OUR_APP || properties.text('type') !== type) return null;
  if (body.length > OURS_BYTES) return null;
  try {
    const fields = readJson(body);
    return typeof fields === 'object' && fields !== null ? (fields as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

const OURS_BYTES = 1024;

function isToken(token: unknown): token is number {
  return Number.isInteger(token) && (token as number) >= 0 && (token as number) <= 0x7fffffff;
}
