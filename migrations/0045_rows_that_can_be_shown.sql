-- One row never keeps the others from being shown or told: no cast of what stands in a JSON column, no difference of times
-- that may be infinite, no text without a limit.
-- oldest-code: 1

create or replace view postrider.email_logs as
select
  e.id,
  e.id as outbox_id,
  e.tenant as company_id,
  e.recipient_id,
  e.recipient_external_id,
  e.user_id,
  e.to_address as "to",
  e.subject,
  e.type,
  e.lang,
  case
    when q.id is null then coalesce(last_end.status, 'unknown'::postrider.email_status)
    when q.owner is not null then 'processing'
    when q.scheduled then 'scheduled'
    when q.attempt > 0 then 'retry'
    else 'pending'
  end as status,
  a.provider,
  receipt.provider_message_id as message_id,
  case when sent.email_id is null then coalesce(a.error_code, last_end.error_code) end as error_code,
  case when sent.email_id is null then coalesce(a.error_message, last_end.error_reason) end as error_reason,
  case when sent.email_id is null then a.error_category end as error_category,
  a.error_message as last_error,
  coalesce(a.attempt, 0)::integer + (q.owner is not null)::integer as attempts,
  coalesce(q.max_attempts, e.max_attempts)::integer as max_attempts,
  a.duration_ms,
  e.request_id,
  e.priority::integer as priority,
  e.delivery,
  e.retry,
  e.route,
  e.metadata,
  e.scheduled_at,
  e.expires_at,
  case when q.owner is null then q.due_at end as next_attempt_at,
  coalesce(q.parked, false) as parked,
  coalesce(q.possible_duplicate, false) or coalesce(a.detail -> 'possibleDuplicate' = 'true', false) as possible_duplicate,
  e.created_at,
  coalesce(last_end.at, a.settled_at, q.claimed_at, e.created_at) as updated_at,
  case when q.id is null then last_end.at end as processed_at,
  sent.settled_at as sent_at,
  case when q.id is null and last_end.status = 'failed' then last_end.at end as failed_at
from postrider.emails e
left join postrider.email_queue q on q.id = e.id
left join lateral (
  select * from postrider.email_attempts t where t.email_id = e.id order by t.attempt desc limit 1
) a on true
left join lateral (
  select t.email_id, t.settled_at
  from postrider.email_attempts t where t.email_id = e.id and t.status = 'sent' order by t.attempt desc limit 1
) sent on true
left join lateral (
  -- also of an attempt that reached only some of the recipients
  select t.provider_message_id
  from postrider.email_attempts t where t.email_id = e.id and t.provider_message_id is not null
  order by t.attempt desc limit 1
) receipt on true
left join lateral (
  select x.status, x.at, x.error_code, x.error_reason from (
    select t.status, t.settled_at as at, t.error_code, t.error_message as error_reason
    from postrider.email_attempts t where t.email_id = e.id and t.final
    union all
    select f.final_status, f.created_at, f.detail ->> 'errorCode', f.detail ->> 'reason'
    from postrider.email_facts f where f.email_id = e.id and f.final_status is not null
  ) x order by x.at desc limit 1
) last_end on true;

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
    t.started_at + coalesce(x.offset_ms, 0) * interval '1 millisecond'
  from postrider.email_attempts t
  cross join lateral (
    -- only what is an object, and times that can be subtracted
    select case when jsonb_typeof(t.detail) = 'object' then t.detail else '{}' end as detail,
      case when isfinite(t.next_attempt_at) then t.next_attempt_at end as next_attempt_at,
      case when isfinite(t.settled_at) then t.settled_at end as settled_at
  ) d
  cross join lateral unnest(t.events, t.offsets_ms) with ordinality as x(type, offset_ms, position)
  union all
  select f.email_id, f.type, 32767, 0, f.fact_id, f.detail, f.created_at
  from postrider.email_facts f
) j;

-- An event as it is kept; whoever delivers it writes out the sender and the tags and adds the Message-ID.
create or replace function postrider.webhook_payload(e postrider.emails, type text, at timestamptz, extra jsonb) returns jsonb
language sql stable
as $$
  select jsonb_build_object('type', type, 'created_at', postrider.iso_time(at), 'data', extra || jsonb_build_object(
    'email_id', e.id, 'created_at', postrider.iso_time(e.created_at),
    'from', case when pg_column_size(e.message) <= 1048576 then e.message -> 'from' end,
    'to', case when pg_column_size(e.message) <= 1048576 then jsonb_path_query_array(e.message, '$.to[*].address') end, 'subject', substr(e.subject, 1, 2000),
    'tags', case when pg_column_size(e.metadata) <= 65536 then e.metadata -> 'tags' end))
$$;
