import type { z } from 'zod';
import type { DeliveryMode, Priority } from '../outbox/index.js';
import type { RetryPresetName } from '../policy/index.js';
import type { EmailType } from '../render/index.js';

/** What `send` and `POST /v1/email/send` take with content. `email-draft.ts` checks every field of it at run time. */
export interface EmailInput extends EnvelopeInput {
  subject: string;
  /** At least one of html and text; the other is derived. */
  html?: string;
  text?: string;
  /** With content a type is a label. */
  type?: string;
  data?: Record<string, unknown>;
}

/** What `send` takes with a React element as content, rendered on the caller's side. */
export interface ReactEmailInput extends Omit<EmailInput, 'html'> {
  react: object;
}

/** What they take with a declared type: its template makes the content from the data. */
export type TypedEmailInput<Type extends EmailType> =
  Type extends EmailType<infer Name, infer Schema>
    ? EnvelopeInput & { type: Name; data: z.input<Schema>; subject?: never; html?: never; text?: never }
    : never;

/** Whom to, when and how: what a type's own choices are overridden by. */
export interface EnvelopeInput {
  /** One address or several, plain or as `Name <name@domain>`. */
  to: AddressInput | AddressInput[];
  from?: AddressInput;
  replyTo?: AddressInput | AddressInput[];
  cc?: AddressInput | AddressInput[];
  bcc?: AddressInput | AddressInput[];
  headers?: Record<string, string>;
  /** What kind of email it is, where no declared type says so: the preference by which people refuse it. */
  category?: string;
  attachments?: AttachmentInput[];
  lang?: string;
  companyId?: string;
  /** Where it is kept, where there are several regions; else its company's, else the usual one. */
  region?: string;
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
