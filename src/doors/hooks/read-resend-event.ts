import { PostriderError } from '../../kernel/index.js';
import { type Notification, record, shortText, timeOf } from './notification.js';

/** What Resend says, once one of the secrets verifies its signature; null where it is about nothing we keep. */
export async function readResendEvent(
  raw: string,
  headers: Record<string, string>,
  secrets: readonly string[],
): Promise<Notification | null> {
  const event = record(await verified(raw, headers, secrets));
  const data = record(event.data);
  const type = TYPES[String(event.type)];
  if (!type || typeof data.email_id !== 'string') return null;
  const bounce = record(data.bounce);
  const click = record(data.click);
  const hard = type === 'BOUNCED' && !/^(?:transient|temporary|undetermined)$/i.test(String(bounce.type));
  return {
    source: 'resend',
    id: headers['svix-id'] ?? headers['webhook-id']!,
    type,
    about: { providerMessageId: data.email_id },
    recipients: Array.isArray(data.to) ? data.to.filter((one) => typeof one === 'string').slice(0, 100) : [],
    at: timeOf(event.created_at, new Date(0)),
    suppress: type === 'COMPLAINED' ? 'complaint' : hard ? 'bounce' : null,
    detail: {
      source: 'resend',
      ...(type === 'BOUNCED' && {
        bounce: {
          type: shortText(bounce.type, 40),
          subType: shortText(bounce.subType, 40),
          message: shortText(bounce.message),
        },
      }),
      ...(type === 'CLICKED' && {
        click: {
          link: shortText(click.link, 2048),
          ipAddress: shortText(click.ipAddress, 45),
          userAgent: shortText(click.userAgent),
          timestamp: shortText(click.timestamp, 40),
        },
      }),
    },
  };
}

const TYPES: Record<string, Notification['type']> = {
  'email.delivered': 'DELIVERED',
  'email.delivery_delayed': 'DELAYED',
  'email.bounced': 'BOUNCED',
  'email.complained': 'COMPLAINED',
  'email.opened': 'OPENED',
  'email.clicked': 'CLICKED',
};

async function verified(
  raw: string,
  headers: Record<string, string>,
  secrets: readonly string[],
): Promise<unknown> {
  const { Webhook } = await import('standardwebhooks');
  const named = Object.fromEntries(
    ['id', 'timestamp', 'signature'].map((name) => [
      `webhook-${name}`,
      headers[`svix-${name}`] ?? headers[`webhook-${name}`] ?? '',
    ]),
  );
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(raw, named);
    } catch {
      // Another of the secrets may be the one; when none is, the refusal below says so.
    }
  }
  throw new PostriderError('NOTIFICATION_UNVERIFIED', 'The signature is missing, wrong or too old.', {
    field: 'svix-signature',
  });
}
