import type { Queryable } from '../store/index.js';
import { asIso, asObject } from './driver-values.js';

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
  metadata: Record<string, unknown>;
  possibleDuplicate: boolean;
  /** Set aside by a pause. */
  parked: boolean;
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

const FIND = {
  name: 'views_email_log',
  text: 'select * from postrider.email_logs where id = $1 and ($2::text is null or company_id = $2)',
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
  metadata: Record<string, unknown>;
  possible_duplicate: boolean;
  parked: boolean;
  scheduled_at: Date | null;
  expires_at: Date | null;
  next_attempt_at: Date | null;
  created_at: Date;
  updated_at: Date;
  processed_at: Date | null;
  sent_at: Date | null;
  failed_at: Date | null;
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
    metadata: asObject(row.metadata),
    possibleDuplicate: row.possible_duplicate,
    parked: row.parked,
    scheduledAt: iso(row.scheduled_at),
    expiresAt: iso(row.expires_at),
    nextAttemptAt: iso(row.next_attempt_at),
    createdAt: asIso(row.created_at),
    updatedAt: asIso(row.updated_at),
    processedAt: iso(row.processed_at),
    sentAt: iso(row.sent_at),
    failedAt: iso(row.failed_at),
  };
}

function iso(at: Date | null): string | null {
  return at === null ? null : asIso(at);
}
