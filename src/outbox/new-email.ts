import type { Mailbox } from '../kernel/index.js';

/** What is written at accept and never changes after. Everything in it has been checked by intake. */
export interface NewEmail {
  id: string;
  tenant: string;
  type: string | null;
  lang: string | null;
  userId: string | null;
  recipientId: string | null;
  recipientExternalId: string | null;
  /** null: the route's own sender. */
  from: Mailbox | null;
  replyTo: Mailbox[];
  to: Mailbox[];
  cc: Mailbox[];
  bcc: Mailbox[];
  /** What To and Cc say where they name others than `to` and `cc`; null: they name those. */
  headerRecipients: HeaderRecipients | null;
  headers: Record<string, string>;
  /** The preference by which people refuse it; null: none. */
  category: string | null;
  /** Sign-in and security: goes out whatever people have refused. */
  essential: boolean;
  subject: string;
  html: string;
  text: string;
  attachments: StoredAttachment[];
  priority: Priority;
  scheduledAt: Date | null;
  expiresAt: Date | null;
  metadata: Record<string, unknown>;
  requestId: string;
  /** The trace that its attempts join; null: none. */
  traceparent: string | null;
  delivery: DeliveryMode;
  /** Name of the retry preset. */
  retry: string;
  maxAttempts: number;
  /** Its body is hidden from operators and removed once sent. */
  sensitive: boolean;
  route: string;
  /** Why nobody it is for may be written to; null: it must go. */
  suppressed: object | null;
}

/**
 * To and Cc of a message that several emails carry, or of one that names people who do not get it. `to`, `cc` and `bcc`
 * stay those whom the email reaches, which is what limits, suppression and erasure are about.
 */
export interface HeaderRecipients {
  to: Mailbox[];
  cc: Mailbox[];
}

/** Those an email reaches, the first of whom it is listed under. */
export function recipientsOf({ to, cc = [], bcc = [] }: Recipients): Mailbox[] {
  return [...to, ...cc, ...bcc];
}

interface Recipients {
  to: readonly Mailbox[];
  cc?: readonly Mailbox[] | undefined;
  bcc?: readonly Mailbox[] | undefined;
}

/** 1 critical, 2 high, 3 normal, 4 low. */
export type Priority = 1 | 2 | 3 | 4;

export type DeliveryMode = 'at-least-once' | 'at-most-once';

export interface StoredAttachment {
  filename: string;
  contentType: string;
  /** base64 */
  content: string;
  contentId?: string;
}
