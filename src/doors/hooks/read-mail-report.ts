import { createHash } from 'node:crypto';
import type { Email } from 'postal-mime';
import { invalidPayload, messageOf } from '../../kernel/index.js';
import { type Notification, shortText, timeOf } from './notification.js';

/**
 * A report that came by mail: delivery status (RFC 3464) or abuse (RFC 5965). The email is found by the id in its own
 * Message-ID, wherever the report quotes it, or in the envelope id. Refuses what is no report or is about no email.
 */
export async function readMailReport(raw: Uint8Array, now: Date): Promise<Notification[]> {
  const { default: PostalMime } = await import('postal-mime');
  const mail = await PostalMime.parse(raw, { forceRfc822Attachments: true }).catch((error: unknown) => {
    throw invalidPayload('', `The message cannot be read: ${messageOf(error)}`);
  });
  const status = partOf(mail, 'message/delivery-status');
  const abuse = partOf(mail, 'message/feedback-report');
  if (status === null && abuse === null)
    throw invalidPayload('', 'The message is neither a delivery status nor a feedback report.');
  const report = status ?? abuse!;
  const emailId = emailIdIn(mail, report);
  if (emailId === null) throw invalidPayload('', 'The report quotes no email of ours.');
  const digest = createHash('sha256').update(raw).digest('hex');
  const base = { source: 'smtp' as const, id: digest, about: { emailId }, at: timeOf(mail.date, now) };
  return status === null ? complaintsOf(abuse!, base) : statusesOf(status, base);
}

type Base = Pick<Notification, 'source' | 'id' | 'about' | 'at'>;

function statusesOf(report: string, base: Base): Notification[] {
  // The first group is about the message, each further one about a recipient.
  const [, ...groups] = groupsOf(report);
  return groups.slice(0, MAX_RECIPIENTS).flatMap((fields) => {
    const type = ACTIONS[(fields.get('action') ?? '').toLowerCase()];
    if (!type) return [];
    const recipients = ['original-recipient', 'final-recipient'].flatMap((name) =>
      addressIn(fields.get(name)),
    );
    const code = /\b[245]\.\d{1,3}\.\d{1,3}\b/.exec(fields.get('status') ?? '')?.[0];
    const hard = type === 'BOUNCED' && code !== undefined && HARD.test(code);
    const message = shortText(fields.get('diagnostic-code'));
    return {
      ...base,
      ...{ type, recipients, suppress: hard ? ('bounce' as const) : null },
      detail: {
        source: 'dsn',
        ...(code !== undefined && { status: code }),
        ...(type === 'BOUNCED'
          ? { bounce: { type: hard ? 'Permanent' : 'Transient', subType: code, message } }
          : { reply: message }),
      },
    };
  });
}

function complaintsOf(report: string, base: Base): Notification[] {
  const [fields = new Map<string, string>()] = groupsOf(report);
  const kind = (fields.get('feedback-type') ?? '').toLowerCase();
  if (kind === '' || kind === 'not-spam') return [];
  return [
    {
      ...base,
      type: 'COMPLAINED',
      recipients: addressIn(fields.get('original-rcpt-to')),
      suppress: 'complaint',
      detail: { source: 'arf', complaint: { type: shortText(kind, 40) } },
    },
  ];
}

const MAX_RECIPIENTS = 100;
const ACTIONS: Record<string, Notification['type']> = {
  failed: 'BOUNCED',
  delayed: 'DELAYED',
  delivered: 'DELIVERED',
  relayed: 'DELIVERED',
};
/** The address does not exist or is closed. A full mailbox or a refusal of content says nothing about the address. */
const HARD = /^5\.(?:0\.0|1\.\d+|2\.1|4\.4|5\.0)$/;

function partOf(mail: Email, type: string): string | null {
  const part = mail.attachments.find(({ mimeType }) => mimeType.toLowerCase() === type);
  return part ? textOf(part.content) : null;
}

function emailIdIn(mail: Email, report: string): string | null {
  const quoted = mail.attachments
    .filter(({ mimeType }) => QUOTED.has(mimeType.toLowerCase()))
    .map(({ content }) => textOf(content).split(/\r?\n\r?\n/)[0] ?? '');
  const [first] = groupsOf(report);
  const places = [
    ...quoted.map((headers) => groupsOf(headers)[0]?.get('message-id')),
    first?.get('original-envelope-id'),
    mail.inReplyTo,
    mail.references,
  ];
  for (const place of places) {
    const [id] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(place ?? '') ?? [];
    if (id !== undefined) return id.toLowerCase();
  }
  return null;
}

const QUOTED = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']);

function textOf(content: string | ArrayBuffer | Uint8Array): string {
  return typeof content === 'string' ? content : new TextDecoder().decode(content);
}

/** Groups of fields with an empty line between them; a line that begins with a space goes on with the one before. */
function groupsOf(text: string): Array<Map<string, string>> {
  return text
    .replace(/\r\n/g, '\n')
    .split(/\n{2,}/)
    .map((group) => {
      const fields = new Map<string, string>();
      for (const line of group.replace(/\n[ \t]+/g, ' ').split('\n')) {
        const [, name, value] = /^([A-Za-z0-9-]{1,80}):\s*(.*)$/.exec(line) ?? [];
        if (name !== undefined && !fields.has(name.toLowerCase()))
          fields.set(name.toLowerCase(), value!.trim());
      }
      return fields;
    })
    .filter((fields) => fields.size > 0);
}

/** `rfc822; name@domain`, or in angle brackets. */
function addressIn(field: string | undefined): string[] {
  const [address] = /[^\s;<>]+@[^\s;<>]+/.exec(field ?? '') ?? [];
  return address === undefined ? [] : [address];
}
