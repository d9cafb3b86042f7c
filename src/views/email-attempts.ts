import type { Queryable } from '../store/index.js';
import { readObject, shownObject, shownText, shownTime } from './shown-columns.js';

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
  started_at: string;
  duration_ms: number;
  next_attempt_at: string | null;
  detail: string | null;
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
    startedAt: row.started_at,
    durationMs: row.duration_ms,
    nextAttemptAt: row.next_attempt_at,
    detail: row.detail === null ? null : readObject(row.detail),
  };
}

const TEXTS = [
  'provider',
  'route',
  'provider_message_id',
  'error_code',
  'error_category',
  'error_message',
].map((name) => `${shownText(`a.${name}`)} as ${name}`);

const LIST = {
  name: 'views_email_attempts',
  text: `
    select x.* from unnest($1::uuid[]) i(id)
    join lateral (
      select a.email_id, a.attempt, a.status::text as status, a.duration_ms, ${TEXTS.join(', ')},
        ${shownTime('a.started_at')} as started_at, ${shownTime('a.next_attempt_at')} as next_attempt_at,
        ${shownObject('a.detail')} as detail
      from postrider.email_attempts a where a.email_id = i.id
    ) x on true
    order by x.email_id, x.attempt`,
};
