import { isUuid, PostriderError } from './kernel/index.js';
import type { Postrider } from './postrider.js';
import {
  type AttachmentEntry,
  type EmailAttempt,
  type EmailLog,
  findStoredEmail,
  type HoldContent,
  listAttempts,
  type StoredEmail,
  type StoredEmailOptions,
} from './views/index.js';

/**
 * One email in full, for operators: every attempt with what was said, whom it was for, what was in it, and sending it
 * once more as a new email. The content of sensitive types stays hidden, and cannot be sent again.
 */
export interface EmailDetail extends EmailLog {
  history: EmailAttempt[];
  envelope: Pick<
    StoredEmail,
    'from' | 'to' | 'cc' | 'bcc' | 'headerRecipients' | 'replyTo' | 'headers' | 'category'
  >;
  /** `kept` and not sensitive: it can be looked at. */
  content: 'kept' | 'removed' | 'hidden';
  attachments: AttachmentEntry[];
}

export interface EmailDetails {
  detail(emailId: string): Promise<EmailDetail | null>;
  /** Throws CONTENT_GONE once it is removed, FORBIDDEN where it is hidden. */
  content(emailId: string, options?: StoredEmailOptions): Promise<StoredEmail | null>;
  sendAgain(emailId: string, options: SendAgainOptions): ReturnType<Postrider['send']>;
}

export interface SendAgainOptions {
  requestId: string;
  idempotencyKey?: string;
  hold?: HoldContent;
}

export function createEmailDetails(postrider: Postrider): EmailDetails {
  const store = async () => (await postrider.ready()).prompt();
  const stored = async (emailId: string, options?: StoredEmailOptions) =>
    isUuid(emailId) ? findStoredEmail(await store(), emailId, options) : null;

  async function content(emailId: string, options?: StoredEmailOptions): Promise<StoredEmail | null> {
    const found = await stored(emailId, options);
    if (found?.sensitive)
      throw new PostriderError('FORBIDDEN', 'The content of this type is hidden from operators.');
    if (found && !found.kept)
      throw new PostriderError('CONTENT_GONE', 'The content of this email has been removed.', {
        field: 'id',
      });
    return found;
  }

  return {
    content,
    async detail(emailId) {
      const [log, found] = await Promise.all([
        isUuid(emailId) ? postrider.get(emailId) : null,
        stored(emailId, { part: 'none' }),
      ]);
      if (!log || !found) return null;
      const history = (await listAttempts(await store(), [log.id])).get(log.id) ?? [];
      const { from, to, cc, bcc, headerRecipients, replyTo, headers, category } = found;
      const files = found.sensitive ? null : await postrider.attachments(emailId);
      return {
        ...log,
        history,
        envelope: { from, to, cc, bcc, headerRecipients, replyTo, headers, category },
        content: found.sensitive ? 'hidden' : found.kept ? 'kept' : 'removed',
        attachments: files?.attachments ?? [],
      };
    },
    async sendAgain(emailId, { hold, ...options }) {
      const [log, found] = await Promise.all([
        isUuid(emailId) ? postrider.get(emailId) : null,
        content(emailId, { hold }),
      ]);
      if (!log || !found)
        throw new PostriderError('EMAIL_NOT_FOUND', `There is no email ${emailId}.`, { field: 'id' });
      if (found.cut)
        throw new PostriderError(
          'PAYLOAD_TOO_LARGE',
          'The content of this email is larger than any that is sent.',
          {
            field: 'id',
          },
        );
      const input = Object.fromEntries(
        Object.entries(inputOf(log, found)).filter(([, value]) => value !== null && value !== undefined),
      );
      const email = input as unknown as Parameters<Postrider['send']>[0];
      const { headerRecipients } = found;
      if (headerRecipients === null) return postrider.send(email, options);
      const [accepted] = await postrider.sendBatch([email], { ...options, headerRecipients });
      return accepted!;
    },
  };
}

/** As it was handed in, but for when: it goes now, and its metadata names the one it repeats. */
function inputOf(log: EmailLog, found: StoredEmail): Record<string, unknown> {
  const { from, to, cc, bcc, replyTo, headers, category, html, text, attachments } = found;
  return {
    ...{ from, to, cc, bcc, replyTo, headers, category, html, text, attachments },
    subject: log.subject,
    ...{ companyId: log.companyId, type: log.type, lang: log.lang, userId: log.userId },
    ...{ priority: log.priority, delivery: log.delivery, retry: log.retry },
    metadata: { ...log.metadata, resendOf: log.id },
  };
}
