import { killPoint, toStorableText } from '../kernel/index.js';
import type { Database } from '../store/index.js';
import { settleSent, simplySent } from './settle-sent.js';
import type { EmailStatus, EventType } from './transition-table.js';
import { PATIENCE } from './without-waiting.js';

/**
 * Writes what became of attempts, in one statement: the queue row moves on or goes, the attempt and
 * its events stay. A settlement that names another token than the row changes nothing.
 */
export interface Settlement {
  id: string;
  token: number;
  attempt: number;
  status: Extract<EmailStatus, 'sent' | 'retry' | 'failed' | 'unknown'>;
  events: EventType[];
  /** Milliseconds after the claim, one per event. */
  offsetsMs: number[];
  durationMs: number;
  route: string;
  provider: string | null;
  providerMessageId: string | null;
  errorCode: string | null;
  errorCategory: string | null;
  errorMessage: string | null;
  /** For `retry`: how long to wait, by the database's clock. */
  retryDelayMs: number | null;
  detail: Record<string, unknown> | null;
  remaining: string[] | null;
  possibleDuplicate: boolean;
  /** The answer was lost, and for so long `route` recognises a repeat: the email stays on it meanwhile. */
  repeatableMs: number | null;
  /** The body of a sensitive email goes with its success. */
  purge: boolean;
  /** The wait for a retry is spent in a broker, which rings when it is over. */
  rings?: boolean;
}

/** Returns the ids that were settled; the others belong to someone else now. */
export async function settleAttempts(
  database: Database,
  worker: number,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  killPoint('settle:before');
  const settled = await (simplySent(settlements)
    ? settleSent(database, worker, settlements, {
        id: (s) => storable(s.providerMessageId),
        detail: detailOf,
      })
    : settleAny(database, worker, settlements));
  killPoint('settle:after');
  return settled;
}

async function settleAny(
  database: Database,
  worker: number,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  const column = <T>(pick: (settlement: Settlement) => T): T[] => settlements.map(pick);
  const idsOf = (chosen: (settlement: Settlement) => boolean | undefined) =>
    settlements.filter(chosen).map((s) => s.id);
  const purged = idsOf((s) => s.purge);
  const rung = idsOf((s) => s.rings);
  const more = purged.length + rung.length > 0;
  const { rows } = await database.query<{ email_id: string }>(more ? SETTLE_MORE : SETTLE, [
    column((s) => s.id),
    column((s) => s.token),
    column((s) => s.attempt),
    column((s) => s.status),
    column((s) => `{${s.events.join(',')}}`),
    column((s) => `{${s.offsetsMs.map(Math.floor).join(',')}}`),
    column((s) => Math.round(s.durationMs)),
    column((s) => s.route),
    column((s) => s.provider),
    column((s) => storable(s.providerMessageId)),
    column((s) => storable(s.errorCode)),
    column((s) => storable(s.errorCategory)),
    column((s) => storable(s.errorMessage)),
    column((s) => s.retryDelayMs),
    column(detailOf),
    column((s) => (s.remaining ? JSON.stringify(s.remaining) : null)),
    column((s) => s.possibleDuplicate),
    column((s) => s.repeatableMs),
    worker,
    ...(more ? [purged, rung] : []),
  ]);
  return new Set(rows.map((row) => row.email_id));
}

/** After a lost answer: which of these settlements had in fact been written. */
export async function findSettled(
  database: Database,
  settlements: readonly Settlement[],
): Promise<Set<string>> {
  const { rows } = await database.query<{ email_id: string }>(FIND_SETTLED, [
    settlements.map((s) => s.id),
    settlements.map((s) => s.token),
  ]);
  return new Set(rows.map((row) => row.email_id));
}

/** One reply the store cannot hold would keep every result of its batch from being written. */
function storable(text: string | null): string | null {
  return text === null ? null : toStorableText(text);
}

function detailOf({ detail }: Settlement): string | null {
  return detail ? JSON.stringify(detail, storableValue) : null;
}

function storableValue(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? toStorableText(value) : value;
}

// A caller's open transaction that cancels one of these must not keep the results of the others from being written: the
// statement is refused, and the settler tries halves of it.
const settle = (name: string, more: { purge: string; rungAt: string }) => ({
  name,
  text: `
    with s as materialized (
      select s.* from unnest($1::uuid[], $2::int[], $3::smallint[], $4::text[], $5::text[], $6::text[], $7::int[],
        $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::text[], $14::float8[], $15::text[],
        $16::text[], $17::boolean[], $18::float8[])
        as s(id, token, attempt, status, events, offsets_ms, duration_ms, route, provider, provider_message_id,
          error_code, error_category, error_message, retry_delay_ms, detail, remaining, possible_duplicate,
          repeatable_ms), (select ${PATIENCE} as made) patience
      where patience.made is not null
    ), ended as (
      delete from postrider.email_queue q using s
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $19::int and s.status <> 'retry'
      returning q.id, q.claimed_at, null::timestamptz as due_at
    ), kept as (
      update postrider.email_queue q
      set owner = null, opened = false, begun = false, attempt = s.attempt, suspect = false, alone = false, crashes = 0,
        due_at = clock_timestamp() + s.retry_delay_ms * interval '1 millisecond',${more.rungAt}
        possible_duplicate = q.possible_duplicate or s.possible_duplicate,
        route = case when s.repeatable_ms is null then q.route else s.route end,
        repeatable_until = coalesce(q.repeatable_until,
          clock_timestamp() + s.repeatable_ms * interval '1 millisecond'),
        remaining = case when s.remaining is null then q.remaining
          else array(select jsonb_array_elements_text(s.remaining::jsonb)) end
      from s
      where q.id = s.id and q.token = s.token and q.owner is not distinct from $19::int and s.status = 'retry'
      returning q.id, q.claimed_at, q.due_at
    )${more.purge}
    insert into postrider.email_attempts (email_id, attempt, token, status, final, events, offsets_ms, started_at,
      duration_ms, route, provider, worker, provider_message_id, error_code, error_category, error_message,
      next_attempt_at, detail)
    select s.id, s.attempt, s.token, s.status::postrider.email_status, s.status <> 'retry',
      s.events::postrider.event_type[], s.offsets_ms::int[],
      done.claimed_at, s.duration_ms, s.route, s.provider, $19::int,
      s.provider_message_id, s.error_code, s.error_category, s.error_message, done.due_at, s.detail::jsonb
    from (select * from ended union all select * from kept) done
    join s on s.id = done.id
    returning email_id`,
});

const SETTLE = settle('outbox_settle', { purge: '', rungAt: '' });

/** Content goes with the success of some, or a broker spends the wait of some. */
const SETTLE_MORE = settle('outbox_settle_more', {
  purge: `, purged as (
      delete from postrider.email_bodies b
      where b.email_id = any ($20::uuid[]) and b.email_id in (select id from ended)
    )`,
  rungAt: `
        rung_at = case when q.id = any ($21::uuid[])
          then clock_timestamp() + s.retry_delay_ms * interval '1 millisecond' end, rung_by = $19::int,`,
});

const FIND_SETTLED = `
  select a.email_id from unnest($1::uuid[], $2::int[]) s(id, token)
  join lateral (
    select x.email_id from postrider.email_attempts x where x.email_id = s.id and x.token = s.token
  ) a on true`;
