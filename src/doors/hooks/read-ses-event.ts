import { ownEntry, readJsonText } from '../../kernel/index.js';
import { type Notification, record, shortText, timeOf } from './notification.js';
import type { SnsMessage } from './verify-sns.js';

/** What SES says in an SNS message, by notification or by event publishing; null where it is about nothing we keep. */
export function readSesEvent(message: SnsMessage): Notification | null {
  const event = record(readJsonText(message.Message, 'Message'));
  const mail = record(event.mail);
  const kind = String(event.notificationType ?? event.eventType ?? '');
  const read = ownEntry(KINDS, kind);
  if (!read || typeof mail.messageId !== 'string') return null;
  const part = record(event[read.part]);
  const suppress = read.suppress?.(part) ?? null;
  return {
    source: 'ses',
    id: message.MessageId,
    type: read.type,
    about: { providerMessageId: mail.messageId },
    recipients: read.recipients ? addressesIn(part[read.recipients]) : [],
    at: timeOf(part.timestamp, timeOf(message.Timestamp, new Date(0))),
    suppress,
    detail: { source: 'ses', ...read.detail(part) },
  };
}

interface Kind {
  type: Notification['type'];
  part: string;
  recipients?: string;
  suppress?(part: Record<string, unknown>): Notification['suppress'];
  detail(part: Record<string, unknown>): Record<string, unknown>;
}

const KINDS: Record<string, Kind> = {
  Bounce: {
    type: 'BOUNCED',
    part: 'bounce',
    recipients: 'bouncedRecipients',
    suppress: (bounce) => (bounce.bounceType === 'Permanent' ? 'bounce' : null),
    detail: (bounce) => ({
      bounce: {
        type: shortText(bounce.bounceType, 40),
        subType: shortText(bounce.bounceSubType, 40),
        message: shortText(record(listOf(bounce.bouncedRecipients)[0]).diagnosticCode),
      },
    }),
  },
  Complaint: {
    type: 'COMPLAINED',
    part: 'complaint',
    recipients: 'complainedRecipients',
    suppress: () => 'complaint',
    detail: (complaint) => ({ complaint: { type: shortText(complaint.complaintFeedbackType, 40) } }),
  },
  Delivery: {
    type: 'DELIVERED',
    part: 'delivery',
    recipients: 'recipients',
    detail: (delivery) => ({ reply: shortText(delivery.smtpResponse) }),
  },
  DeliveryDelay: {
    type: 'DELAYED',
    part: 'deliveryDelay',
    recipients: 'delayedRecipients',
    detail: (delay) => ({ reason: shortText(delay.delayType, 40) }),
  },
  Open: {
    type: 'OPENED',
    part: 'open',
    detail: (open) => ({ ipAddress: shortText(open.ipAddress, 45), userAgent: shortText(open.userAgent) }),
  },
  Click: {
    type: 'CLICKED',
    part: 'click',
    detail: (click) => ({
      click: {
        link: shortText(click.link, 2048),
        ipAddress: shortText(click.ipAddress, 45),
        userAgent: shortText(click.userAgent),
        timestamp: shortText(click.timestamp, 40),
      },
    }),
  },
};

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value.slice(0, 100) : [];
}

/** As plain addresses, or as objects that hold one. */
function addressesIn(value: unknown): string[] {
  return listOf(value)
    .map((one) => (typeof one === 'string' ? one : record(one).emailAddress))
    .filter((one): one is string => typeof one === 'string');
}
