import type { Mailbox } from '../kernel/index.js';

/** Whom a stored email is from and for. What is not as intake writes it is left out, or shown as text in its place. */
export interface ReadMessage {
  from: Mailbox | null;
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  /** What To and Cc say; null: those in `to` and `cc`. */
  headerRecipients: { to: Mailbox[]; cc: Mailbox[] } | null;
  replyTo: Mailbox[];
  headers: Record<string, string>;
  category: string | null;
}

/** `text` is what `shownMessage` gave. */
export function readMessage(text: string): ReadMessage {
  const message = JSON.parse(text) as Record<string, unknown>;
  const { category } = message;
  return {
    from: message.from === undefined ? null : asMailbox(message.from),
    to: asMailboxes(message.to),
    cc: asMailboxes(message.cc),
    bcc: asMailboxes(message.bcc),
    headerRecipients: asHeaderRecipients(message.headerRecipients),
    replyTo: asMailboxes(message.replyTo),
    headers: asHeaders(message.headers),
    category: typeof category === 'string' ? category : null,
  };
}

function asMailboxes(value: unknown): Mailbox[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value.map(asMailbox) : [asMailbox(value)];
}

function asHeaderRecipients(value: unknown): ReadMessage['headerRecipients'] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  const { to, cc } = value as Record<string, unknown>;
  return { to: asMailboxes(to), cc: asMailboxes(cc) };
}

function asMailbox(value: unknown): Mailbox {
  if (typeof value !== 'object' || value === null) return { address: asText(value) };
  const { address, name } = value as Record<string, unknown>;
  if (address === undefined) return { address: asText(value) };
  return { address: asText(address), ...(typeof name === 'string' && { name }) };
}

function asHeaders(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return {};
  return Object.fromEntries(Object.entries(value).map(([name, said]) => [name, asText(said)]));
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
