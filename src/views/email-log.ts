import type { Queryable } from '../store/index.js';
import { readObject, shownObject, shownText, shownTime } from './shown-columns.js';

/** What became of one email, with the fields of the log as callers know them. */
export interface EmailLog {
  id: string;
  outboxId: string;
  companyId: string;
  recipientId: string | null;
  recipientExternalId: string | null;
  userId: string | null;
  to: string;
  subject: string;
  type: string | null;
  lang: string | null;
  status: string;
  provider: string | null;
  messageId: string | null;
  /** The same id under the name SES users know; null for other providers. */
  sesMessageId: string | null;
  errorCode: string | null;
  errorCategory: string | null;
  errorReason: string | null;
  lastError: string | null;
  attempts: number;
  maxAttempts: number;
  durationMs: number | null;
  requestId: string;
  priority: number;
  delivery: string;
  retry: string;
  route: string;
  /** What is no object, as rows written by hand may have, is its JSON under `text`. */
  metadata: Record<string, unknown>;
  possibleDuplicate: boolean;
  /** Set aside by a pause. */
  parked: boolean;
  /** Here and below ISO 8601; what no calendar has, as rows written by SQL may have, as PostgreSQL writes it: `infinity`. */
  scheduledAt: string | null;
  expiresAt: string | null;
  nextAttemptAt: string | null;
  createdAt: string;
  updatedAt: string;
  processedAt: string | null;
  sentAt: string | null;
  failedAt: string | null;
}

export async function findEmailLog(
  database: Queryable,
  id: string,
  options: { tenant?: string } = {},
): Promise<EmailLog | null> {
  const { rows } = await database.query<LogRow>(FIND, [id, options.tenant ?? null]);
  return rows[0] ? presentLog(rows[0]) : null;
}

/** What is read of a row of the view email_logs, under the name it has in the statement. */
export function logColumns(row: string): string {
  const texts = TEXTS.map((name) => `${shownText(`${row}."${name}"`)} as "${name}"`);
  const times = TIMES.map((name) => `${shownTime(`${row}.${name}`)} as ${name}`);
  const others = OTHERS.map((name) => `${row}.${name}`);
  return [...others, ...texts, ...times, `${shownObject(`${row}.metadata`)} as metadata`].join(', ');
}

const TEXTS = [
  ...[
    'company_id',
    'recipient_external_id',
    'user_id',
    'to',
    'subject',
    'type',
    'lang',
    'provider',
    'message_id',
  ],
  ...[
    'error_code',
    'error_category',
    'error_reason',
    'last_error',
    'request_id',
    'delivery',
    'retry',
    'route',
  ],
];
const TIMES = [
  ...['scheduled_at', 'expires_at', 'next_attempt_at', 'created_at', 'updated_at', 'processed_at', 'sent_at'],
  'failed_at',
];
const OTHERS = [
  ...[
    'id',
    'recipient_id',
    'status',
    'attempts',
    'max_attempts',
    'duration_ms',
    'priority',
    'possible_duplicate',
  ],
  'parked',
];

const FIND = {
  name: 'views_email_log',
  text: `select ${logColumns('v')} from postrider.email_logs v
    where v.id = $1 and ($2::text is null or v.company_id = $2)`,
};

/** A row of the view email_logs. */
export interface LogRow {
  id: string;
  company_id: string;
  recipient_id: string | null;
  recipient_external_id: string | null;
  user_id: string | null;
  to: string;
  subject: string;
  type: string | null;
  lang: string | null;
  status: string;
  provider: string | null;
  message_id: string | null;
  error_code: string | null;
  error_category: string | null;
  error_reason: string | null;
  last_error: string | null;
  attempts: number;
  max_attempts: number;
  duration_ms: number | null;
  request_id: string;
  priority: number;
  delivery: string;
  retry: string;
  route: string;
  metadata: string;
  possible_duplicate: boolean;
  parked: boolean;
  scheduled_at: string | null;
  expires_at: string | null;
  next_attempt_at: string | null;
  created_at: string;
  updated_at: string;
  processed_at: string | null;
  sent_at: string | null;
  failed_at: string | null;
}

export function presentLog(row: LogRow): EmailLog {
  return {
    id: row.id,
    outboxId: row.id,
    companyId: row.company_id,
    recipientId: row.recipient_id,
    recipientExternalId: row.recipient_external_id,
    userId: row.user_id,
    to: row.to,
    subject: row.subject,
    type: row.type,
    lang: row.lang,
    status: row.status,
    provider: row.provider,
    messageId: row.message_id,
    sesMessageId: row.provider === 'ses' ? row.message_id : null,
    errorCode: row.error_code,
    errorCategory: row.error_category,
    errorReason: row.error_reason,
    lastError: row.last_error,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    durationMs: row.duration_ms,
    requestId: row.request_id,
    priority: row.priority,
    delivery: row.delivery,
    retry: row.retry,
    route: row.route,
    metadata: readObject(row.metadata),
    possibleDuplicate: row.possible_duplicate,
    parked: row.parked,
    scheduledAt: row.scheduled_at,
    expiresAt: row.expires_at,
    nextAttemptAt: row.next_attempt_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    processedAt: row.processed_at,
    sentAt: row.sent_at,
    failedAt: row.failed_at,
  };
}
