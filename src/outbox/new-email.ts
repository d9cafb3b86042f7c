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
