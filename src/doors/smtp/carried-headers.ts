import { isReservedHeader, isServersHeader, newRecord, ownEntry } from '../../kernel/index.js';
import type { HeaderField } from '../../mime/index.js';
import { invalidMessage } from './wire-form.js';

/**
 * The message's own headers: those that go along as they are, and those that are told to Postrider. What Postrider or
 * the servers on the way write themselves is left out; what it cannot keep true is refused by name.
 */
export function carriedHeaders(headers: readonly HeaderField[]): Carried {
  const kept = newRecord<string>();
  const told = newRecord<unknown>();
  const seen = new Set<string>();
  let idempotencyKey: string | null = null;
  for (const { key, name, value } of headers) {
    if (isServersHeader(key)) continue;
    if (seen.has(key)) throw invalidMessage('is given twice', name.slice(0, 64));
    seen.add(key);
    if (key.startsWith('resent-'))
      throw invalidMessage('cannot be carried: send a new message', name.slice(0, 64));
    // The rest of them are written anew, from what they say.
    if (isReservedHeader(key)) continue;
    const field = ownEntry(TOLD, key);
    if (field) told[field] = field === 'priority' ? priorityOf(value) : value;
    else if (IDEMPOTENCY_KEYS.has(key)) {
      if (idempotencyKey !== null) throw invalidMessage('is given under two names', name);
      idempotencyKey = value;
    } else kept[name] = value;
  }
  return { kept, told, idempotencyKey };
}

export interface Carried {
  kept: Record<string, string>;
  /** Fields of the email besides its content. */
  told: Record<string, unknown>;
  idempotencyKey: string | null;
}

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
