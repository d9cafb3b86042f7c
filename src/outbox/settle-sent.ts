import type { Database } from '../store/index.js';
import type { Settlement } from './settle-attempts.js';
import type { EventType } from './transition-table.js';

/**
 * Settles attempts that simply succeeded by one route, which nearly all do: with a third of the parameters, and without
 * what only a retry needs. The same rows are written as by the statement for all cases, fenced by the token alike.
 */
export async function settleSent(
  database: Database,
  worker: number,
  settlements: readonly Settlement[],
  storable: Record<'id' | 'detail', (settlement: Settlement) => string | null>,
): Promise<Set<string>> {
  const [first] = settlements as [Settlement];
  const column = (pick: (settlement: Settlement) => string | number | null): unknown => {
    const values = settlements.map(pick);
    return database.list?.(values) ?? values;
  };
  const offsets = (at: number) => column((s) => Math.floor(s.offsetsMs[at]!));
  const { rows } = await database.query<{ email_id: string }>(SETTLE_SENT, [
    column((s) => s.id),
    column((s) => s.token),
    column((s) => s.attempt),
    ...[offsets(1), offsets(2), offsets(3)],
    column((s) => Math.round(s.durationMs)),
    column(storable.id),
    column(storable.detail),
    worker,
    first.route,
    first.provider,
  ]);
  return new Set(rows.map((row) => row.email_id));
}

/** Whether `settleSent` can write them all. */
export function simplySent(settlements: readonly Settlement[]): boolean {
  const [first] = settlements;
  if (!first) return false;
  return settlements.every(
    (s) =>
      s.status === 'sent' &&
      !s.purge &&
      s.route === first.route &&
      s.provider === first.provider &&
      s.offsetsMs[0] === 0 &&
      s.events.length === STRAIGHT.length &&
      s.events.every((event, at) => event === STRAIGHT[at]),
  );
}

const STRAIGHT: EventType[] = ['RECEIVED', 'VALIDATED', 'SENT_ATTEMPT', 'SENT'];

const SETTLE_SENT = {
  name: 'outbox_settle_sent',
  text: `
    with ended as (
      delete from postrider.email_queue q
      using unnest($1::uuid[], $2::int[], $3::smallint[], $4::int[], $5::int[], $6::int[], $7::int[], $8::text[],
        $9::text[]) as s(id, token, attempt, validated, attempted, sent, duration_ms, provider_message_id, detail)
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $10::int
      returning s.*, q.claimed_at
    )
    insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
      duration_ms, route, provider, worker, provider_message_id, detail)
    select id, attempt, token, 'sent', true, '{${STRAIGHT.join(',')}}'::postrider.event_type[],
      array[0, validated, attempted, sent], claimed_at, duration_ms, $11::text, $12::text, $10::int,
      provider_message_id, detail::jsonb
    from ended
    returning email_id`,
};
