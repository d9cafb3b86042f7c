import type { Mailbox } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import type { Claim } from './claim-batch.js';
import type { DeliveryMode, StoredAttachment } from './new-email.js';

/**
 * Marks claims as begun and fetches their content, in one statement before anything goes out.
 * The mark is what tells a crash that may have delivered from one that cannot have. What was
 * cancelled or taken over since the claim is not returned and must not be sent.
 */
export async function openClaims(
  database: Database,
  worker: number,
  claims: readonly Claim[],
  options: OpenOptions = {},
): Promise<OpenedEmail[]> {
  // Waiting for the disk is only worth it where a repeat is forbidden: after a database restart
  // every claimed row counts as begun anyway. The embedded store restarts with every process, so its
  // marks must hold, and it does not wait for the disk.
  const durability = database.kind === 'pglite' || claims.some((claim) => claim.atMostOnce) ? 'on' : 'off';
  const list = (values: Array<string | number>) => database.list?.(values) ?? values;
  const { rows } = await database.query<OpenedRow>(OPEN, [
    list(claims.map((claim) => claim.id)),
    list(claims.map((claim) => claim.token)),
    worker,
    durability,
    options.alone ?? false,
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
  /** Nothing else is being attempted by this worker: if it dies now, it is known by whom. */
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
  /** An earlier answer was lost, and for so long its route still recognises a repeat; null: none was, or nobody would. */
  repeatableMs: number | null;
  /** Recipients still to be reached; null: all. */
  remaining: string[] | null;
  /** False when the queue row has no email behind it. */
  found: boolean;
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
  repeatable_ms: number | null;
  remaining: string[] | null;
}

function asOpened(row: OpenedRow): OpenedEmail {
  const createdMs = row.created_ms ?? 0;
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
    message: row.message ?? { to: [] },
    retry: row.retry ?? '',
    delivery: row.at_most_once ? 'at-most-once' : 'at-least-once',
    body:
      row.html === null ? null : { html: row.html, text: row.text ?? '', attachments: row.attachments ?? [] },
    contentHash: row.content_hash,
    createdAt: new Date(createdMs),
    dueAt: new Date(Math.max(createdMs, row.scheduled_ms ?? 0)),
    expired: row.expired,
    possibleDuplicate: row.possible_duplicate,
    repeatableMs: row.repeatable_ms,
    remaining: row.remaining,
    found: row.created_ms !== null,
  };
}

// `date_part` and not `extract`: that one computes in decimals, a microsecond each.
// Here and wherever a claim is named by id and token, `is not distinct from` keeps the planner off the
// index of owners: it believes a worker owns one row and would read all of its hundreds.
const OPEN = {
  name: 'outbox_open_claims',
  text: `
    with opened as (
      update postrider.email_queue q set begun = true, alone = $5::boolean
      from unnest($1::uuid[], $2::int[]) s(id, token),
        (select set_config('synchronous_commit', $4, true) as mode) durability
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $3::int and durability.mode is not null
      returning q.id, q.token, q.attempt, q.max_attempts, q.bytes, q.priority, q.route, q.tenant, q.at_most_once,
        q.possible_duplicate, q.repeatable_until, q.remaining, q.expires_at, q.earlier_attempts
    )
    select o.id, o.token, o.attempt, o.max_attempts, o.bytes, o.priority, o.route, o.tenant, o.at_most_once,
      o.possible_duplicate, o.remaining, o.earlier_attempts,
      date_part('epoch', o.repeatable_until - clock_timestamp()) * 1000 as repeatable_ms,
      coalesce(o.expires_at <= clock_timestamp(), false) as expired,
      e.type, e.request_id, e.recipient_id, e.recipient_external_id, e.to_address, e.subject, e.message, e.retry,
      e.sensitive, encode(e.content_hash, 'hex') as content_hash,
      date_part('epoch', e.created_at) * 1000 as created_ms, date_part('epoch', e.scheduled_at) * 1000 as scheduled_ms,
      b.html, b.text, b.attachments
    from opened o
    left join lateral (select * from postrider.emails x where x.id = o.id limit 1) e on true
    left join lateral (select * from postrider.email_bodies x where x.email_id = o.id limit 1) b on true`,
};
