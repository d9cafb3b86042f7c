-- What an event of the ledger is called and what it says beyond its email, in one place for webhooks and for the bus.
-- oldest-code: 1

-- These can be inlined into the statements that use them, as long as they have no settings and no subqueries.
create function postrider.attempt_event(
  status postrider.email_status, reason text, code text, attempt integer, next_attempt_at timestamptz
) returns table (type text, extra jsonb)
language sql stable
as $$
  select
    case status when 'sent' then 'email.sent' when 'failed' then 'email.failed'
      when 'unknown' then 'email.unknown' when 'retry' then 'email.retrying' end,
    case status when 'sent' then '{}'
      when 'retry' then jsonb_build_object('retry', jsonb_build_object('reason', reason,
        'code', code, 'attempt', attempt, 'next_attempt_at', postrider.iso_time(next_attempt_at)))
      else jsonb_build_object('failed', jsonb_build_object('reason', coalesce(reason, code), 'code', code)) end
$$;

create function postrider.fact_event(fact postrider.event_type, detail jsonb) returns table (type text, extra jsonb)
language sql stable
as $$
  select
    case fact when 'CANCELLED' then 'email.canceled' when 'SUPPRESSED' then 'email.suppressed'
      when 'EXPIRED' then 'email.expired' when 'RESCHEDULED' then 'email.scheduled'
      when 'DELIVERED' then 'email.delivered' when 'DELAYED' then 'email.delivery_delayed'
      when 'BOUNCED' then 'email.bounced' when 'COMPLAINED' then 'email.complained'
      when 'OPENED' then 'email.opened' when 'CLICKED' then 'email.clicked'
      when 'UNSUBSCRIBED' then 'email.unsubscribed' end,
    case fact
      when 'SUPPRESSED' then jsonb_build_object('suppressed', jsonb_build_object(
        'message', coalesce(detail ->> 'message', detail ->> 'reason'), 'type', detail ->> 'reason'))
      when 'BOUNCED' then jsonb_build_object('bounce', detail -> 'bounce')
      when 'CLICKED' then jsonb_build_object('click', detail -> 'click')
      else '{}' end
$$;

create or replace function postrider.tell_attempts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.webhook_deliveries (endpoint_id, tenant, type, email_id, payload)
  select w.id, e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, t.settled_at, x.extra)
  from told t
  cross join lateral postrider.attempt_event(t.status, t.error_message, t.error_code, t.attempt, t.next_attempt_at) x
  join postrider.emails e on e.id = t.email_id
  join postrider.webhook_endpoints w on w.tenant = e.tenant and w.disabled_at is null and x.type = any (w.events);
  return null;
end $$;

create or replace function postrider.tell_facts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.webhook_deliveries (endpoint_id, tenant, type, email_id, payload)
  select w.id, e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, t.created_at, x.extra)
  from told t
  cross join lateral postrider.fact_event(t.type, t.detail) x
  join postrider.emails e on e.id = t.email_id
  join postrider.webhook_endpoints w on w.tenant = e.tenant and w.disabled_at is null and x.type = any (w.events);
  return null;
end $$;

create or replace function postrider.tell_bus_attempts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.bus_events (tenant, type, email_id, payload)
  select e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, t.settled_at, x.extra)
  from told t
  cross join lateral postrider.attempt_event(t.status, t.error_message, t.error_code, t.attempt, t.next_attempt_at) x
  join postrider.bus_listening l on x.type = any (l.events)
  join postrider.emails e on e.id = t.email_id;
  return null;
end $$;

create or replace function postrider.tell_bus_facts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.bus_events (tenant, type, email_id, payload)
  select e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, t.created_at, x.extra)
  from told t
  cross join lateral postrider.fact_event(t.type, t.detail) x
  join postrider.bus_listening l on x.type = any (l.events)
  join postrider.emails e on e.id = t.email_id;
  return null;
end $$;
