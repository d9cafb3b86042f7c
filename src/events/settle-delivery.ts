import type { Database } from '../store/index.js';
import type { DueDelivery } from './claim-deliveries.js';
import type { WebhookAnswer } from './post-webhook.js';

/** Writes what came of a request. False when another process has taken the delivery over: then it changes nothing. */
export async function settleDelivery(
  database: Database,
  { id, token }: Pick<DueDelivery, 'id' | 'token'>,
  result: { ok: boolean; answer: WebhookAnswer; retryInMs: number | null; sentAt: Date },
): Promise<boolean> {
  const { ok, answer, retryInMs } = result;
  const { rows } = await database.query(SETTLE, [
    id,
    token,
    ok ? 'success' : retryInMs === null ? 'failed' : 'pending',
    ok ? null : retryInMs,
    answer.httpStatus,
    answer.response,
    answer.error,
    answer.durationMs,
    result.sentAt.toISOString(),
    ok,
  ]);
  return rows.length > 0;
}

const SETTLE = {
  name: 'events_settle_delivery',
  text: `
    with settled as (
      update postrider.webhook_deliveries d
      set status = $3, attempt = d.attempt + 1, leased_until = null,
        due_at = clock_timestamp() + $4::float8 * interval '1 millisecond'
      where d.id = $1 and d.token = $2::int returning d.id, d.endpoint_id
    ), noted as (
      insert into postrider.webhook_attempts (delivery_id, http_status, response, error, duration_ms, sent_at)
      select id, $5::smallint, $6, $7, $8::int, $9::timestamptz from settled
    ), health as (
      update postrider.webhook_endpoints e set failing_since = case when $10::boolean then null else now() end
      from settled s where e.id = s.endpoint_id and (e.failing_since is not null) = $10::boolean
    )
    select id from settled`,
};
