-- Rows that no way in writes: counters that cannot be raised, JSON that cannot be written out again, times that cannot be
-- added to.
-- oldest-code: 46

-- A token of the largest integer failed every claim of its route, and the largest attempt could never be settled.
update postrider.email_queue
set token = least(greatest(token, 0), 2000000000), attempt = least(greatest(attempt, 0), 32000)
where token not between 0 and 2000000000 or attempt not between 0 and 32000;

alter table postrider.email_queue add constraint email_queue_counters
  check (token between 0 and 2000000000 and attempt between 0 and 32000);

-- Whether JSON can be written as text of about its size and read again: what is nested some thousand levels deep ends the
-- stack of whoever writes it, and eight bytes of 1e131071 are 128 KB of text. Looks no deeper than it allows.
create function postrider.is_plain_json(given jsonb) returns boolean
language sql immutable parallel safe
as $$
  select not jsonb_path_exists(given, 'strict $.**{33}') and not jsonb_path_exists(given,
    'strict $.**{0 to 32} ? (@.type() == "number" && (@ > 1e308 || @ < -1e308 || (@ != 0 && @ < 1e-308 && @ > -1e-308)))')
$$;

create or replace view postrider.email_events as
select
  j.email_id as email_log_id,
  row_number() over (partition by j.email_id order by j.created_at, j.attempt, j.position, j.fact_id)::integer as sequence,
  j.type,
  j.metadata,
  j.created_at
from (
  select e.id as email_id, 'ENQUEUED'::postrider.event_type as type, 0 as attempt, 0 as position, null::uuid as fact_id,
    jsonb_strip_nulls(jsonb_build_object('priority', e.priority, 'type', substr(e.type, 1, 200),
      'scheduledAt', e.scheduled_at, 'requestId', substr(e.request_id, 1, 200))) as metadata,
    e.created_at
  from postrider.emails e
  union all
  select t.email_id, x.type, t.attempt, x.position::integer, null,
    jsonb_strip_nulls(jsonb_build_object('attempt', t.attempt) || case x.type
      when 'RECEIVED' then jsonb_build_object('worker', t.worker)
      when 'VALIDATED' then jsonb_build_object('validations', jsonb_build_array('INTEGRITY', 'OUTBOX', 'RECIPIENT', 'TEMPLATE'))
      when 'SENT_ATTEMPT' then jsonb_build_object('provider', t.provider, 'route', t.route,
        'possibleDuplicate', t.detail -> 'possibleDuplicate')
      when 'SENT' then d.detail || jsonb_build_object('messageId', t.provider_message_id,
        'durationMs', t.duration_ms, 'provider', t.provider)
      when 'RETRY_SCHEDULED' then d.detail || jsonb_build_object('errorCode', t.error_code,
        'errorCategory', t.error_category, 'errorMessage', t.error_message, 'willRetry', true,
        'nextAttemptNumber', t.attempt + 1, 'nextAttemptAt', t.next_attempt_at,
        'backoffDelay', greatest(0, extract(epoch from d.next_attempt_at - d.settled_at) * 1000)::bigint)
      else d.detail || jsonb_build_object('errorCode', t.error_code,
        'errorCategory', t.error_category, 'errorMessage', t.error_message, 'willRetry', not t.final)
    end),
    case when t.started_at between timestamptz '0001-01-01 00:00:00+00' and timestamptz '10000-01-01 00:00:00+00'
      then t.started_at + coalesce(x.offset_ms, 0) * interval '1 millisecond' else t.started_at end
  from postrider.email_attempts t
  cross join lateral (
    -- only what is an object, and times that can be subtracted
    select case when jsonb_typeof(t.detail) = 'object' then t.detail else '{}' end as detail,
      case when t.next_attempt_at between timestamptz '0001-01-01 00:00:00+00' and timestamptz '10000-01-01 00:00:00+00'
        then t.next_attempt_at end as next_attempt_at,
      case when t.settled_at between timestamptz '0001-01-01 00:00:00+00' and timestamptz '10000-01-01 00:00:00+00'
        then t.settled_at end as settled_at
  ) d
  cross join lateral unnest(t.events, t.offsets_ms) with ordinality as x(type, offset_ms, position)
  union all
  select f.email_id, f.type, 32767, 0, f.fact_id, f.detail, f.created_at
  from postrider.email_facts f
) j;

-- An event as it is kept; the sender of webhooks writes out the sender and the tags and adds the Message-ID.
create or replace function postrider.webhook_payload(e postrider.emails, type text, at timestamptz, extra jsonb) returns jsonb
language sql stable
as $$
  select jsonb_build_object('type', type, 'created_at', postrider.iso_time(at), 'data', extra || jsonb_build_object(
    'email_id', e.id, 'created_at', postrider.iso_time(e.created_at),
    'from', case when pg_column_size(e.message) <= 1048576 and postrider.is_plain_json(e.message) then e.message -> 'from' end,
    'to', case when pg_column_size(e.message) <= 1048576 and postrider.is_plain_json(e.message)
      then jsonb_path_query_array(e.message, '$.to[*].address') end,
    'subject', substr(e.subject, 1, 2000),
    'tags', case when pg_column_size(e.metadata) <= 65536 and postrider.is_plain_json(e.metadata) then e.metadata -> 'tags' end))
$$;
