import type { Header } from 'postal-mime';
import { invalidMessage } from './wire-form.js';

/**
 * The message's own headers: those that go along as they are, and those that are told to Postrider. What Postrider or
 * the servers on the way write themselves is left out; what it cannot keep true is refused by name.
 */
export function carriedHeaders(headers: readonly Header[]): Carried {
  const kept: Record<string, string> = {};
  const told: Record<string, unknown> = {};
  const seen = new Set<string>();
  let idempotencyKey: string | null = null;
  for (const { key, originalKey, value } of headers) {
    if (TRACE.test(key)) continue;
    if (seen.has(key)) throw invalidMessage('is given twice', originalKey.slice(0, 64));
    seen.add(key);
    if (WRITTEN_ANEW.test(key)) continue;
    if (key.startsWith('resent-')) throw invalidMessage('cannot be carried: send a new message', originalKey);
    const field = TOLD[key];
    if (field) told[field] = field === 'priority' ? priorityOf(value) : value;
    else if (IDEMPOTENCY_KEYS.has(key)) {
      if (idempotencyKey !== null) throw invalidMessage('is given under two names', originalKey);
      idempotencyKey = value;
    } else kept[originalKey] = value;
  }
  return { kept, told, idempotencyKey };
}

export interface Carried {
  kept: Record<string, string>;
  /** Fields of the email besides its content. */
  told: Record<string, unknown>;
  idempotencyKey: string | null;
}

const TRACE =
  /^(?:received|return-path|delivered-to|dkim-signature|arc-.*|authentication-results|received-spf)$/;
const WRITTEN_ANEW = /^(?:from|sender|to|cc|bcc|reply-to|subject|date|message-id|mime-version|content-.*)$/;

/** Ours, and the one that programs moved over from Resend's SMTP already send. */
const IDEMPOTENCY_KEYS = new Set(['x-postrider-idempotency-key', 'resend-idempotency-key']);

const TOLD: Record<string, string> = {
  'x-postrider-type': 'type',
  'x-postrider-category': 'category',
  'x-postrider-priority': 'priority',
  'x-postrider-lang': 'lang',
  'x-postrider-user-id': 'userId',
  'x-postrider-scheduled-at': 'scheduledAt',
  'x-postrider-expires-at': 'expiresAt',
};

function priorityOf(value: string): unknown {
  return /^[1-4]$/.test(value) ? Number(value) : value; // intake says what is wrong with it
}
