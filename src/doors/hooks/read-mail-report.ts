import { createHash } from 'node:crypto';
import { invalidPayload, ownEntry, PostriderError } from '../../kernel/index.js';
import {
  bytesOf,
  type HeaderField,
  headerOf,
  type Mail,
  type MailPart,
  readHeaderFields,
  readMail,
} from '../../mime/index.js';
import { type Notification, shortText, timeOf } from './notification.js';

/**
 * A report that came by mail: delivery status (RFC 3464) or abuse (RFC 5965). The email is found by the id in its own
 * Message-ID, wherever the report quotes it, or in the envelope id. Refuses what is no report or is about no email. Of the
 * message only the report itself and the headers it quotes are decoded, however large the rest is.
 */
export async function readMailReport(raw: Uint8Array, now: Date): Promise<Notification[]> {
  const mail = await readMail(raw);
  const status = await reportIn(mail, 'message/delivery-status');
  const abuse = status ?? (await reportIn(mail, 'message/feedback-report'));
  if (abuse === null)
    throw invalidPayload('', 'The message is neither a delivery status nor a feedback report.');
  const emailId = await emailIdIn(mail, abuse);
  if (emailId === null) throw invalidPayload('', 'The report quotes no email of ours.');
  const digest = createHash('sha256').update(raw).digest('hex');
  const at = timeOf(headerOf(mail.fields, 'date'), now);
  const base = { source: 'smtp' as const, id: digest, about: { emailId }, at };
  return status === null ? complaintsOf(abuse, base) : statusesOf(status, base);
}

type Base = Pick<Notification, 'source' | 'id' | 'about' | 'at'>;

function statusesOf(report: Report, base: Base): Notification[] {
  // The first group is about the message, each further one about a recipient.
  const [, ...groups] = report;
  return groups.slice(0, MAX_RECIPIENTS).flatMap((fields) => {
    const type = ownEntry(ACTIONS, (fields.get('action') ?? '').toLowerCase());
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

function complaintsOf(report: Report, base: Base): Notification[] {
  const [fields = new Map<string, string>()] = report;
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

/** Groups of fields. */
type Report = Array<Map<string, string>>;

async function reportIn(mail: Mail, type: string): Promise<Report | null> {
  const part = mail.parts.find((one) => one.type === type);
  if (!part) return null;
  if (part.body.length > MAX_REPORT_BYTES)
    throw new PostriderError(
      'PAYLOAD_TOO_LARGE',
      `The ${type} part is larger than ${MAX_REPORT_BYTES / 1024} KB.`,
    );
  return groupsOf(await bytesOf(part));
}

/** A status of fifty recipients takes some 30 KB. */
const MAX_REPORT_BYTES = 512 * 1024;

async function emailIdIn(mail: Mail, [first]: Report): Promise<string | null> {
  const quoted: Array<string | undefined> = [];
  for (const part of mail.parts)
    if (QUOTED.has(part.type)) quoted.push(headerOf(await quotedHeaders(part), 'message-id'));
  const places = [
    ...quoted,
    first?.get('original-envelope-id'),
    headerOf(mail.fields, 'in-reply-to'),
    headerOf(mail.fields, 'references'),
  ];
  for (const place of places) {
    const [id] = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i.exec(place ?? '') ?? [];
    if (id !== undefined) return id.toLowerCase();
  }
  return null;
}

const QUOTED = new Set(['message/rfc822', 'message/global', 'text/rfc822-headers', 'message/global-headers']);

/** Of a message that is quoted as a whole nothing but its beginning is decoded. */
async function quotedHeaders(part: MailPart): Promise<HeaderField[]> {
  const bytes = await bytesOf(part, MAX_QUOTED_BYTES);
  const end = [bytes.indexOf('\r\n\r\n'), bytes.indexOf('\n\n')].filter((at) => at !== -1);
  return readHeaderFields(bytes.subarray(0, Math.min(bytes.length, ...end)));
}

const MAX_QUOTED_BYTES = 64 * 1024;

/** With an empty line between them. */
function groupsOf(report: Buffer): Report {
  const groups: Report = [];
  let start = 0;
  const add = (end: number) => {
    const fields = new Map<string, string>();
    for (const { key, value } of readHeaderFields(report.subarray(start, end), { foldAsSpace: true }))
      if (NAME.test(key) && !fields.has(key)) fields.set(key, value);
    if (fields.size > 0) groups.push(fields);
  };
  for (let at = report.indexOf(LF); at !== -1; at = report.indexOf(LF, at + 1)) {
    const next = report[at + 1] === CR ? at + 2 : at + 1;
    if (report[next] !== LF) continue;
    add(at);
    start = next + 1;
    if (groups.length > MAX_RECIPIENTS) return groups;
  }
  add(report.length);
  return groups;
}

const NAME = /^[a-z0-9-]{1,80}$/;
const CR = 0x0d;
const LF = 0x0a;

/** `rfc822; name@domain`, or in angle brackets. */
function addressIn(field: string | undefined): string[] {
  const address = (field ?? '')
    .slice(0, MAX_ADDRESS_FIELD)
    .split(/[\s;<>]/)
    .find((word) => {
      const at = word.indexOf('@');
      return at > 0 && at < word.length - 1;
    });
  return address === undefined ? [] : [address];
}

/** An address has 254 characters at most; before it stand its type and perhaps a name. */
const MAX_ADDRESS_FIELD = 2000;
