import type { Queryable } from '../store/index.js';
import { asIso, asObject } from './driver-values.js';

/** Every attempt of some emails, as an operator wants to see them: what was tried, and what the provider said. */
export interface EmailAttempt {
  attempt: number;
  status: string;
  provider: string | null;
  route: string;
  messageId: string | null;
  errorCode: string | null;
  errorCategory: string | null;
  errorMessage: string | null;
  startedAt: string;
  durationMs: number;
  nextAttemptAt: string | null;
  /** Reply, stage, conversation: where there is something to say. */
  detail: Record<string, unknown> | null;
}

export async function listAttempts(
  database: Queryable,
  emailIds: readonly string[],
): Promise<Map<string, EmailAttempt[]>> {
  const { rows } = await database.query<AttemptRow>(LIST, [emailIds]);
  const attempts = new Map<string, EmailAttempt[]>();
  for (const row of rows) attempts.set(row.email_id, [...(attempts.get(row.email_id) ?? []), present(row)]);
  return attempts;
}

interface AttemptRow {
  email_id: string;
  attempt: number;
  status: string;
  provider: string | null;
  route: string;
  provider_message_id: string | null;
  error_code: string | null;
  error_category: string | null;
  error_message: string | null;
  started_at: Date;
  duration_ms: number;
  next_attempt_at: Date | null;
  detail: Record<string, unknown> | string | null;
}

function present(row: AttemptRow): EmailAttempt {
  return {
    attempt: row.attempt,
    status: row.status,
    provider: row.provider,
    route: row.route,
    messageId: row.provider_message_id,
    errorCode: row.error_code,
    errorCategory: row.error_category,
    errorMessage: row.error_message,
    startedAt: asIso(row.started_at),
    durationMs: row.duration_ms,
    nextAttemptAt: row.next_attempt_at === null ? null : asIso(row.next_attempt_at),
    detail: row.detail === null ? null : asObject(row.detail),
  };
}

const LIST = {
  name: 'views_email_attempts',
  text: `
    select x.* from unnest($1::uuid[]) i(id)
    join lateral (
      select a.email_id, a.attempt, a.status::text as status, a.provider, a.route, a.provider_message_id, a.error_code,
        a.error_category, a.error_message, a.started_at, a.duration_ms, a.next_attempt_at, a.detail
      from postrider.email_attempts a where a.email_id = i.id
    ) x on true
    order by x.email_id, x.attempt`,
};
