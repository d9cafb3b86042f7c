import type { Queryable } from '../store/index.js';
import type { DueDelivery } from './claim-deliveries.js';
import type { WebhookAnswer } from './post-webhook.js';

/**
 * Writes the results of requests, many in one statement. A result whose delivery has been claimed again since, or is
 * settled already, changes nothing.
 */
export interface DeliveryResult {
  delivery: Pick<DueDelivery, 'id' | 'token'>;
  ok: boolean;
  answer: WebhookAnswer;
  /** Null: it is not tried again. */
  retryInMs: number | null;
  sentAt: Date;
}

export interface SettledDelivery {
  /** Nothing has reached its endpoint for longer than `failingForMs`. */
  overdue: boolean;
}

/** Those that were settled, by the delivery's id. */
export async function settleDeliveries(
  database: Queryable,
  results: readonly DeliveryResult[],
  failingForMs: number,
): Promise<Map<string, SettledDelivery>> {
  const { rows } = await database.query<SettledDelivery & { id: string }>(SETTLE, [
    results.map(({ delivery }) => delivery.id),
    results.map(({ delivery }) => delivery.token),
    results.map(({ ok, retryInMs }) => (ok ? 'success' : retryInMs === null ? 'failed' : 'pending')),
    results.map(({ ok, retryInMs }) => (ok ? null : retryInMs)),
    results.map(({ answer }) => answer.httpStatus),
    results.map(({ answer }) => answer.response),
    results.map(({ answer }) => answer.error),
    results.map(({ answer }) => answer.durationMs),
    results.map(({ sentAt }) => sentAt.toISOString()),
    results.map(({ ok }) => ok),
    failingForMs,
  ]);
  return new Map(rows.map(({ id, overdue }) => [id, { overdue }]));
}

// Whether it is leased is asked in words that fit no index: deliveries are found by their ids, never by all leases there are.
// The endpoints are locked in the order of their ids: another process may settle for the same ones. In a batch an
// endpoint counts as reached where one request got through.
const SETTLE = {
  name: 'events_settle_deliveries',
  text: `
    with given as materialized (
      select * from unnest($1::uuid[], $2::int[], $3::text[], $4::float8[], $5::smallint[], $6::text[], $7::text[],
        $8::int[], $9::timestamptz[], $10::boolean[])
        g(id, token, status, retry_ms, http_status, response, error, duration_ms, sent_at, ok)
    ), settled as (
      update postrider.webhook_deliveries d
      set status = g.status, attempt = d.attempt + 1, leased_until = null,
        due_at = clock_timestamp() + g.retry_ms * interval '1 millisecond'
      from given g
      where d.id = g.id and d.token = g.token and coalesce(d.leased_until > '-infinity', false)
      returning d.id, d.endpoint_id, g.ok
    ), noted as (
      insert into postrider.webhook_attempts (delivery_id, http_status, response, error, duration_ms, sent_at)
      select g.id, g.http_status, g.response, g.error, g.duration_ms, g.sent_at from given g join settled s on s.id = g.id
    ), reached as materialized (
      select endpoint_id, bool_or(ok) as ok from settled group by endpoint_id
    ), flipped as materialized (
      select e.id, r.ok from reached r join postrider.webhook_endpoints e on e.id = r.endpoint_id
      where (e.failing_since is not null) = r.ok
      order by e.id for no key update of e
    ), health as (
      update postrider.webhook_endpoints e set failing_since = case when f.ok then null else now() end
      from flipped f where e.id = f.id
    )
    select s.id, not s.ok and coalesce(e.failing_since < now() - $11::float8 * interval '1 millisecond', false) as overdue
    from settled s left join postrider.webhook_endpoints e on e.id = s.endpoint_id`,
};
