/** Emails as Resend shows them; what Postrider knows more precisely is folded into Resend's words. */
import type { Mailbox } from '../../../kernel/index.js';
import type { EmailContent, EmailEnvelope } from '../../../views/index.js';

export function presentListed(email: EmailEnvelope) {
  return {
    id: email.id,
    message_id: email.messageId,
    from: email.from === null ? null : written(email.from),
    to: email.to.map(written),
    cc: list(email.cc),
    bcc: list(email.bcc),
    reply_to: list(email.replyTo),
    subject: email.subject,
    created_at: email.createdAt,
    scheduled_at: email.scheduledAt,
    last_event: lastEvent(email),
    topic_id: typeof email.metadata.topicId === 'string' ? email.metadata.topicId : null,
  };
}

export function presentEmail(email: EmailEnvelope & EmailContent) {
  return {
    object: 'email',
    ...presentListed(email),
    html: email.html,
    text: email.text,
    tags: tagsOf(email.metadata.tags),
  };
}

/** Metadata is the application's own, so what stands under `tags` may be anything. */
function tagsOf(tags: unknown): Array<{ name: string; value: string }> {
  if (typeof tags !== 'object' || tags === null || Array.isArray(tags)) return [];
  return Object.entries(tags).map(([name, value]) => ({
    name,
    value: typeof value === 'string' ? value : JSON.stringify(value),
  }));
}

const TOLD: Record<string, string> = {
  DELIVERED: 'delivered',
  DELAYED: 'delivery_delayed',
  BOUNCED: 'bounced',
  COMPLAINED: 'complained',
  OPENED: 'opened',
  CLICKED: 'clicked',
};

const STATUS: Record<string, string> = {
  scheduled: 'scheduled',
  pending: 'queued',
  processing: 'queued',
  retry: 'delivery_delayed',
  sent: 'sent',
  failed: 'failed',
  unknown: 'failed',
  expired: 'failed',
  cancelled: 'canceled',
  suppressed: 'suppressed',
};

function lastEvent({ status, told }: EmailEnvelope): string {
  return (status === 'sent' && told !== null ? TOLD[told] : STATUS[status]) ?? 'queued';
}

function list(mailboxes: Mailbox[]): string[] | null {
  return mailboxes.length === 0 ? null : mailboxes.map(written);
}

const PLAIN_NAME = /^[^"(),:;<>@[\\\]]*$/;

function written({ address, name }: Mailbox): string {
  if (!name) return address;
  return PLAIN_NAME.test(name) ? `${name} <${address}>` : `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`;
}
