-- Telling applications what became of their emails: endpoints, and a row per event and endpoint.
-- oldest-code: 1

create table postrider.webhook_endpoints (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  url text not null,
  -- the types of events it wants
  events text[] not null,
  description text,
  -- until then the secret before this one signs too; both are among the sealed secrets
  old_secret_until timestamptz,
  -- since when nothing got through; null while it works
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  created_at timestamptz not null default now()
);

create index webhook_endpoints_tenant on postrider.webhook_endpoints (tenant, id);

-- Written by whoever writes the event, in the same transaction. No foreign key: that would make every settled batch
-- lock the endpoint's row. What is left of a removed endpoint is never claimed and goes with retention.
create table postrider.webhook_deliveries (
  id uuid primary key default postrider.new_id(),
  endpoint_id uuid not null,
  tenant text collate "C" not null,
  type text not null,
  email_id uuid,
  payload jsonb not null,
  status text not null default 'pending' check (status in ('pending', 'success', 'failed')),
  -- requests that were answered or failed since the delivery was made or last replayed
  attempt smallint not null default 0,
  -- raised by every claim; an answer that names another changes nothing
  token integer not null default 0,
  -- null once it is over
  due_at timestamptz default clock_timestamp(),
  -- a request is under way until then at most
  leased_until timestamptz,
  created_at timestamptz not null default clock_timestamp()
) with (fillfactor = 80);

create index webhook_deliveries_due on postrider.webhook_deliveries (endpoint_id, due_at) where due_at is not null;
create index webhook_deliveries_leased on postrider.webhook_deliveries (endpoint_id) where leased_until is not null;
create index webhook_deliveries_page on postrider.webhook_deliveries (endpoint_id, id);
create index webhook_deliveries_email on postrider.webhook_deliveries (email_id) where email_id is not null;

create table postrider.webhook_attempts (
  id uuid primary key default postrider.new_id(),
  delivery_id uuid not null,
  -- null where there was no answer
  http_status smallint,
  -- the beginning of the answer
  response text,
  error text,
  duration_ms integer not null,
  sent_at timestamptz not null
);

create index webhook_attempts_delivery on postrider.webhook_attempts (delivery_id, id);

-- These two can be inlined into the statements that use them, as long as they have no settings and no subqueries.
create function postrider.iso_time(at timestamptz) returns text
language sql stable parallel safe
as $$ select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') $$;

-- An event as it is kept; whoever delivers it writes out the sender and the tags and adds the Message-ID.
create function postrider.webhook_payload(e postrider.emails, type text, at timestamptz, extra jsonb) returns jsonb
language sql stable
as $$
  select jsonb_build_object('type', type, 'created_at', postrider.iso_time(at), 'data', extra || jsonb_build_object(
    'email_id', e.id, 'created_at', postrider.iso_time(e.created_at), 'from', e.message -> 'from',
    'to', jsonb_path_query_array(e.message, '$.to[*].address'), 'subject', e.subject, 'tags', e.metadata -> 'tags'))
$$;

-- These run once per statement that writes to the ledger, from the first endpoint on; see listen_for_webhooks.
-- Plans of functions are kept: one made while the ledger is small must not read all of it when it has grown.
create function postrider.tell_attempts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.webhook_deliveries (endpoint_id, tenant, type, email_id, payload)
  select w.id, e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, x.settled_at, x.extra)
  from (
    select t.email_id, t.settled_at,
      case t.status when 'sent' then 'email.sent' when 'failed' then 'email.failed'
        when 'unknown' then 'email.unknown' when 'retry' then 'email.retrying' end as type,
      case t.status when 'sent' then '{}'
        when 'retry' then jsonb_build_object('retry', jsonb_build_object('reason', t.error_message,
          'code', t.error_code, 'attempt', t.attempt, 'next_attempt_at', postrider.iso_time(t.next_attempt_at)))
        else jsonb_build_object('failed', jsonb_build_object('reason', coalesce(t.error_message, t.error_code),
          'code', t.error_code)) end as extra
    from told t
  ) x
  join postrider.emails e on e.id = x.email_id
  join postrider.webhook_endpoints w on w.tenant = e.tenant and w.disabled_at is null and x.type = any (w.events);
  return null;
end $$;

create function postrider.tell_facts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.webhook_deliveries (endpoint_id, tenant, type, email_id, payload)
  select w.id, e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, x.created_at, x.extra)
  from (
    select t.email_id, t.created_at,
      case t.type when 'CANCELLED' then 'email.canceled' when 'SUPPRESSED' then 'email.suppressed'
        when 'EXPIRED' then 'email.expired' when 'RESCHEDULED' then 'email.scheduled'
        when 'DELIVERED' then 'email.delivered' when 'DELAYED' then 'email.delivery_delayed'
        when 'BOUNCED' then 'email.bounced' when 'COMPLAINED' then 'email.complained'
        when 'OPENED' then 'email.opened' when 'CLICKED' then 'email.clicked'
        when 'UNSUBSCRIBED' then 'email.unsubscribed' end as type,
      case t.type
        when 'SUPPRESSED' then jsonb_build_object('suppressed', jsonb_build_object(
          'message', coalesce(t.detail ->> 'message', t.detail ->> 'reason'), 'type', t.detail ->> 'reason'))
        when 'BOUNCED' then jsonb_build_object('bounce', t.detail -> 'bounce')
        when 'CLICKED' then jsonb_build_object('click', t.detail -> 'click')
        else '{}' end as extra
    from told t
  ) x
  join postrider.emails e on e.id = x.email_id
  join postrider.webhook_endpoints w on w.tenant = e.tenant and w.disabled_at is null and x.type = any (w.events);
  return null;
end $$;

create function postrider.tell_scheduled() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
as $$
begin
  insert into postrider.webhook_deliveries (endpoint_id, tenant, type, email_id, payload)
  select w.id, new.tenant, 'email.scheduled', new.id, postrider.webhook_payload(new, 'email.scheduled', new.created_at, '{}')
  from postrider.webhook_endpoints w
  where w.tenant = new.tenant and w.disabled_at is null and 'email.scheduled' = any (w.events);
  return null;
end $$;

revoke all on function postrider.tell_attempts, postrider.tell_facts, postrider.tell_scheduled from public;

-- A store that nobody listens to pays nothing: the triggers come with the first endpoint. Whoever has written to the
-- ledger in a transaction that is still open is waited for, not long, since writers wait behind.
create function postrider.listen_for_webhooks() returns void
language plpgsql
security definer
set search_path = pg_catalog
set lock_timeout = '1s'
as $$
begin
  if exists (select 1 from pg_trigger where tgrelid = 'postrider.emails'::regclass and tgname = 'emails_told') then
    return;
  end if;
  create or replace trigger email_attempts_told after insert on postrider.email_attempts
    referencing new table as told for each statement execute function postrider.tell_attempts();
  create or replace trigger email_facts_told after insert on postrider.email_facts
    referencing new table as told for each statement execute function postrider.tell_facts();
  create or replace trigger emails_told after insert on postrider.emails
    for each row when (new.scheduled_at is not null and new.scheduled_at > new.created_at)
    execute function postrider.tell_scheduled();
end $$;

revoke all on function postrider.listen_for_webhooks from public;
