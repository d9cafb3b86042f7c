import type { DeliveryMode, Priority } from '../outbox/index.js';
import type { RetryPresetName } from '../policy/index.js';

/** What `send` and `POST /v1/email/send` take. `email-draft.ts` checks every field of it at run time. */
export interface EmailInput {
  /** One address or several, plain or as `Name <name@domain>`. */
  to: AddressInput | AddressInput[];
  subject: string;
  /** At least one of html and text; the other is derived. */
  html?: string;
  text?: string;
  from?: AddressInput;
  replyTo?: AddressInput | AddressInput[];
  cc?: AddressInput | AddressInput[];
  bcc?: AddressInput | AddressInput[];
  headers?: Record<string, string>;
  attachments?: AttachmentInput[];
  type?: string;
  data?: Record<string, unknown>;
  lang?: string;
  companyId?: string;
  userId?: string;
  recipient?: { recipientId?: string; externalId?: string; email: string };
  /** 1 critical, 2 high, 3 normal, 4 low. Defaults to 3. */
  priority?: Priority;
  scheduledAt?: Date | string;
  expiresAt?: Date | string;
  /** Defaults to at-least-once. */
  delivery?: DeliveryMode;
  retry?: RetryPresetName;
  metadata?: Record<string, unknown>;
}

export type AddressInput = string | { address: string; name?: string };

export interface AttachmentInput {
  filename: string;
  /** base64 */
  content: string;
  contentType?: string;
  contentId?: string;
}
