import type { Mailbox } from '../kernel/index.js';
import { type Database, jsonBytes } from '../store/index.js';
import type { Claim } from './claim-batch.js';
import type { DeliveryMode, HeaderRecipients, StoredAttachment } from './new-email.js';
import { oddPartOf } from './odd-part.js';
import { type ClaimStatement, claimStatement, withoutWaiting } from './without-waiting.js';

/**
 * Marks claims as opened and fetches their content, in one statement. If the process dies, what it had opened is
 * suspected of having caused that; whether it may have been delivered is told by `begun`, another mark. Claims that say
 * `begins` get both at once. What was cancelled or taken over since the claim, or is being so, is not returned and must not be sent.
 */
export async function openClaims(
  database: Database,
  worker: number,
  claims: readonly Claim[],
  options: OpenOptions & { statement?: OpenStatement } = {},
): Promise<OpenedEmail[]> {
  // After a database restart every claimed row counts as begun, and so as opened. The embedded store restarts with every
  // process, so its marks must hold, and it does not wait for the disk.
  const durability = database.kind === 'pglite' ? 'on' : 'off';
  const list = (values: Array<string | number>) => database.list?.(values) ?? values;
  const { rows } = await withoutWaiting<OpenedRow>(database, options.statement ?? OPEN, [
    list(claims.map((claim) => claim.id)),
    list(claims.map((claim) => claim.token)),
    worker,
    durability,
    options.alone ?? false,
    list(claims.map(({ begins }) => (begins ? 't' : 'f'))),
  ]);
  // A plan may give them in the order of the table, and the urgent ones were claimed first.
  const place = new Map(claims.map(({ id }, at) => [id, at]));
  return rows.sort((one, other) => place.get(one.id)! - place.get(other.id)!).map(takeContent);
}

/** V8 keeps rows where only a full collection looks, and with them whatever they hold: see docs/decisions/0012. */
function takeContent(row: OpenedRow): OpenedEmail {
  const email = asOpened(row);
  row.html = null;
  row.text = null;
  row.attachments = null;
  row.message = null;
  return email;
}

export interface OpenOptions {
  /** This worker prepares nothing else until `endAlone`: if it dies now, it is known by which email. */
  alone?: boolean;
}

export interface OpenedEmail {
  id: string;
  token: number;
  /** The number of the attempt now being made, from 1. */
  attempt: number;
  maxAttempts: number;
  /** Attempts of the rounds before this one; waits and limits count from there. */
  earlierAttempts: number;
  sensitive: boolean;
  bytes: number;
  /** 1 critical to 4 low. */
  priority: number;
  route: string;
  tenant: string;
  type: string | null;
  requestId: string;
  recipientId: string | null;
  recipientExternalId: string | null;
  to: string;
  subject: string;
  message: StoredMessage;
  retry: string;
  delivery: DeliveryMode;
  /** null when there is no content left: retention or a foreign hand removed it. */
  body: { html: string; text: string; attachments: StoredAttachment[] } | null;
  /** Hash of the content as validated at intake; null when it came by SQL. */
  contentHash: string | null;
  createdAt: Date;
  /** When it was to go: accepted, or scheduled for later. */
  dueAt: Date;
  expired: boolean;
  possibleDuplicate: boolean;
  /** A worker died with it opened. */
  suspect: boolean;
  /** Its attempt was marked as begun when it was opened. */
  begun: boolean;
  /** An earlier answer was lost, and for so long its route still recognises a repeat; null: none was, or nobody would. */
  repeatableMs: number | null;
  /** Recipients still to be reached; null: all. */
  remaining: string[] | null;
  /** Whether anyone at all was suppressed when it was opened, which is after it was accepted. */
  anySuppressed: boolean;
  /** False when the queue row has no email behind it. */
  found: boolean;
  /** What of it is larger than anything accepted, and was not read, or no such thing at all; it cannot be sent. */
  unreadable: { part: string; why: 'too-large' | 'malformed' } | null;
}

export interface StoredMessage {
  /** The preference by which people refuse it, and whether it is beyond refusing. */
  category?: string;
  essential?: boolean;
  /** The trace it was accepted in. */
  traceparent?: string;
  from?: Mailbox;
  replyTo?: Mailbox[];
  to: Mailbox[];
  cc?: Mailbox[];
  bcc?: Mailbox[];
  /** What To and Cc say; absent: those in `to` and `cc`. */
  headerRecipients?: HeaderRecipients;
  headers?: Record<string, string>;
}

interface OpenedRow {
  id: string;
  token: number;
  attempt: number;
  max_attempts: number;
  earlier_attempts: number;
  sensitive: boolean | null;
  bytes: number;
  priority: number;
  route: string;
  tenant: string;
  type: string | null;
  request_id: string | null;
  recipient_id: string | null;
  recipient_external_id: string | null;
  to_address: string | null;
  subject: string | null;
  message: StoredMessage | null;
  retry: string | null;
  at_most_once: boolean;
  html: string | null;
  text: string | null;
  attachments: StoredAttachment[] | null;
  content_hash: string | null;
  created_ms: number | null;
  scheduled_ms: number | null;
  expired: boolean;
  possible_duplicate: boolean;
  suspect: boolean;
  begun: boolean;
  repeatable_ms: number | null;
  /** An array of texts may have empty places, and more than one dimension. */
  remaining: unknown[] | null;
  any_suppressed: boolean;
  too_large: string | null;
}

function asOpened(row: OpenedRow): OpenedEmail {
  const createdMs = row.created_ms ?? 0;
  const odd = row.too_large === null && row.created_ms !== null ? oddPartOf(row) : null;
  return {
    id: row.id,
    token: row.token,
    attempt: row.attempt + 1,
    maxAttempts: row.max_attempts,
    earlierAttempts: row.earlier_attempts,
    sensitive: row.sensitive ?? false,
    bytes: row.bytes,
    priority: row.priority,
    route: row.route,
    tenant: row.tenant,
    type: row.type,
    requestId: row.request_id ?? row.id,
    recipientId: row.recipient_id,
    recipientExternalId: row.recipient_external_id,
    to: row.to_address ?? '',
    subject: row.subject ?? '',
    message: (odd === null ? row.message : null) ?? { to: [] },
    retry: row.retry ?? '',
    delivery: row.at_most_once ? 'at-most-once' : 'at-least-once',
    body:
      row.html === null || odd !== null
        ? null
        : { html: row.html, text: row.text ?? '', attachments: row.attachments ?? [] },
    contentHash: row.content_hash,
    createdAt: new Date(createdMs),
    dueAt: new Date(Math.max(createdMs, row.scheduled_ms ?? 0)),
    expired: row.expired,
    possibleDuplicate: row.possible_duplicate,
    suspect: row.suspect,
    begun: row.begun,
    repeatableMs: row.repeatable_ms,
    remaining: odd === null ? (row.remaining as string[] | null) : null,
    anySuppressed: row.any_suppressed,
    found: row.created_ms !== null,
    unreadable:
      row.too_large !== null
        ? { part: row.too_large, why: 'too-large' }
        : odd === null
          ? null
          : { part: odd, why: 'malformed' },
  };
}

/** Bodies are accepted up to 512 KB; text derived from HTML can be longer. */
const MOST_BODY_BYTES = 4 * 1024 ** 2;
/** Fifty addresses with names, fifty headers, and the To and Cc of a large message are less. */
const MOST_MESSAGE_BYTES = 1024 ** 2;
/** 40 MB in base64, with names. */
const MOST_FILES_BYTES = 64 * 1024 ** 2;
const MOST_TEXT_BYTES = 8000;

const tooLong = (column: string, most = MOST_TEXT_BYTES) =>
  `when octet_length(x.${column}) > ${most} then '${column}'`;

// Numbers of little JSON are no more than some megabytes of text.
const outsizeJson = (column: string, most: number) =>
  `case when pg_column_size(${column}) <= ${SURELY_SMALL} and pg_column_compression(${column}) is null then false
          when ${jsonBytes(column)} > ${most} then true else not postrider.is_plain_json(${column}) end`;
const SURELY_SMALL = 1024;

// A value that no way in accepts is never read: one of 600 MB ends the process in the driver, and with it the emails beside
// it. Its length is known without reading it.
const TOO_LARGE = {
  email: `case ${['subject', 'to_address', 'type', 'request_id', 'retry', 'recipient_external_id'].map((column) => tooLong(column)).join(' ')}
          when ${outsizeJson('x.message', MOST_MESSAGE_BYTES)} then 'message' end`,
  body: `case ${['html', 'text'].map((column) => tooLong(column, MOST_BODY_BYTES)).join(' ')} ${tooLong('subject')}
          when ${outsizeJson('x.attachments', MOST_FILES_BYTES)} then 'attachments' end`,
};

// Not begun at the last attempt: a worker that died before the first byte would end the email in unknown.
// `date_part` and not `extract`: that one computes in decimals, a microsecond each.
const withAnswer = (name: string, anySuppressed: string) =>
  claimStatement({
    name,
    more: [{ column: 'begins', list: '$6::boolean[]' }],
    set: 'opened = true, begun = s.begins and q.attempt + 1 < q.max_attempts, alone = $5::boolean',
    returning: `q.id, q.token, q.attempt, q.max_attempts, q.bytes, q.priority, q.route, q.tenant, q.at_most_once,
        q.possible_duplicate, q.suspect, q.begun, q.repeatable_until, q.remaining, q.expires_at, q.earlier_attempts`,
    rest: `select o.id, o.token, o.attempt, o.max_attempts, o.bytes, o.priority, o.route, o.tenant, o.at_most_once,
      o.possible_duplicate, o.suspect, o.begun, o.remaining, o.earlier_attempts, ${anySuppressed} as any_suppressed,
      -- rows that no process wrote may have any time: before PostgreSQL 17 an infinite one cannot be subtracted from
      case when isfinite(o.repeatable_until) then date_part('epoch', o.repeatable_until - clock_timestamp()) * 1000
        when o.repeatable_until is not null then 0 end as repeatable_ms,
      coalesce(o.expires_at <= clock_timestamp(), false) as expired,
      coalesce(e.too_large, b.too_large) as too_large, e.recipient_id, e.sensitive,
      encode(e.content_hash, 'hex') as content_hash,
      case when e.id is not null then date_part('epoch', least(clock_timestamp(), greatest('epoch', e.created_at))) * 1000 end as created_ms,
      date_part('epoch', least(clock_timestamp(), greatest('epoch', e.scheduled_at))) * 1000 as scheduled_ms,
      ${['type', 'request_id', 'recipient_external_id', 'to_address', 'message', 'retry'].map((column) => `case when e.too_large is null then e.${column} end as ${column}`).join(', ')},
      case when coalesce(e.too_large, b.too_large) is null then coalesce(b.subject, e.subject) end as subject,
      ${['html', 'text', 'attachments'].map((column) => `case when b.too_large is null then b.${column} end as ${column}`).join(', ')}
    from changed o
    left join lateral (
      select x.*, ${TOO_LARGE.email} as too_large
      from postrider.emails x where x.id = o.id limit 1
    ) e on true
    left join lateral (
      select x.*, ${TOO_LARGE.body} as too_large
      from postrider.email_bodies x where x.email_id = o.id limit 1
    ) b on true`,
  });

/** Without the question any email may go to somebody who is suppressed. */
const OPEN = withAnswer('outbox_open_claims_unasked', 'true');

export type OpenStatement = ClaimStatement;

/** Opens claims and asks in the same statement whether anyone is suppressed, which other SQL tells. */
export function openStatement(anySuppressed: string): OpenStatement {
  return withAnswer('outbox_open_claims', anySuppressed);
}
