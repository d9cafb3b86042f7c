import { checkJsonShape, ownEntry, PostriderError } from '../../kernel/index.js';
import { type Notification, record, shortText, timeOf } from './notification.js';

/** What Resend says, once one of the secrets verifies its signature; null where it is about nothing we keep. */
export async function readResendEvent(
  raw: string,
  headers: Record<string, string>,
  secrets: readonly string[],
): Promise<Notification | null> {
  const event = record(await verified(raw, headers, secrets));
  const data = record(event.data);
  const type = ownEntry(TYPES, String(event.type));
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

/** By its headers alone, before anything else of it is read. */
export function refuseUnsigned(headers: Record<string, string>, now: Date): void {
  const { signature, timestamp } = signatureOf(headers);
  const isFresh = Math.abs(now.getTime() / 1000 - Number(timestamp)) <= TOLERATED_SECONDS;
  if (signature === '' || !isFresh) throw unverified();
}

/** As the verifier does. */
const TOLERATED_SECONDS = 5 * 60;

function signatureOf(headers: Record<string, string>) {
  const named = (name: string) => headers[`svix-${name}`] ?? headers[`webhook-${name}`] ?? '';
  return { id: named('id'), timestamp: named('timestamp'), signature: named('signature') };
}

function unverified(): PostriderError {
  return new PostriderError('NOTIFICATION_UNVERIFIED', 'The signature is missing, wrong or too old.', {
    field: 'svix-signature',
  });
}

async function verified(
  raw: string,
  headers: Record<string, string>,
  secrets: readonly string[],
): Promise<unknown> {
  // The verifier parses what it verified, to any depth.
  checkJsonShape(raw, 'The body');
  const { Webhook } = await import('standardwebhooks');
  const signature = Object.entries(signatureOf(headers));
  const named = Object.fromEntries(signature.map(([name, value]) => [`webhook-${name}`, value]));
  for (const secret of secrets) {
    try {
      return new Webhook(secret).verify(raw, named);
    } catch {
      // Another of the secrets may be the one; when none is, the refusal below says so.
    }
  }
  throw unverified();
}
