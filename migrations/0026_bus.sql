-- Events for the bus, a row each until the broker has it, and the events of others that were taken.
-- oldest-code: 1

-- Written by whoever writes to the ledger, in the same transaction; removed when the broker has confirmed it.
create table postrider.bus_events (
  -- also the id of the event, however often it is published
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  type text not null,
  email_id uuid not null,
  payload jsonb not null,
  -- somebody is publishing it until then at most
  leased_until timestamptz
) with (fillfactor = 70, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 0);

create index bus_events_email on postrider.bus_events (email_id);

-- One row while events are wanted, with their types.
create table postrider.bus_listening (
  single boolean primary key default true check (single),
  events text[] not null,
  since timestamptz not null default now()
);

-- Which events of other services have led to emails: none does so twice.
create table postrider.bus_received (
  source text not null,
  type text not null,
  event_id text not null,
  received_at timestamptz not null default now(),
  primary key (event_id, type, source)
);

create index bus_received_at on postrider.bus_received using brin (received_at);

-- As for webhooks: once per statement that writes to the ledger, and only while somebody listens.
create function postrider.tell_bus_attempts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.bus_events (tenant, type, email_id, payload)
  select e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, x.settled_at, x.extra)
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
  join postrider.bus_listening l on x.type = any (l.events)
  join postrider.emails e on e.id = x.email_id;
  return null;
end $$;

create function postrider.tell_bus_facts() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
set enable_hashjoin = off
set enable_mergejoin = off
set enable_seqscan = off
as $$
begin
  insert into postrider.bus_events (tenant, type, email_id, payload)
  select e.tenant, x.type, e.id, postrider.webhook_payload(e, x.type, x.created_at, x.extra)
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
  join postrider.bus_listening l on x.type = any (l.events)
  join postrider.emails e on e.id = x.email_id;
  return null;
end $$;

create function postrider.tell_bus_scheduled() returns trigger
language plpgsql
security definer
set search_path = pg_catalog
as $$
begin
  insert into postrider.bus_events (tenant, type, email_id, payload)
  select new.tenant, 'email.scheduled', new.id,
    postrider.webhook_payload(new, 'email.scheduled', new.created_at, '{}')
  from postrider.bus_listening l where 'email.scheduled' = any (l.events);
  return null;
end $$;

revoke all on function postrider.tell_bus_attempts, postrider.tell_bus_facts, postrider.tell_bus_scheduled from public;

-- Whoever has written to the ledger in a transaction that is still open is waited for, not long, since writers wait
-- behind.
create function postrider.listen_for_bus(events text[]) returns void
language plpgsql
security definer
set search_path = pg_catalog
set lock_timeout = '1s'
as $$
begin
  insert into postrider.bus_listening (events) values (listen_for_bus.events)
  on conflict (single) do update set events = excluded.events
  where postrider.bus_listening.events <> excluded.events;
  if exists (select 1 from pg_trigger where tgrelid = 'postrider.emails'::regclass and tgname = 'emails_to_bus') then
    return;
  end if;
  create or replace trigger email_attempts_to_bus after insert on postrider.email_attempts
    referencing new table as told for each statement execute function postrider.tell_bus_attempts();
  create or replace trigger email_facts_to_bus after insert on postrider.email_facts
    referencing new table as told for each statement execute function postrider.tell_bus_facts();
  create or replace trigger emails_to_bus after insert on postrider.emails
    for each row when (new.scheduled_at is not null and new.scheduled_at > new.created_at)
    execute function postrider.tell_bus_scheduled();
end $$;

-- Ends it, and forgets what was not published.
create function postrider.leave_bus() returns integer
language plpgsql
security definer
set search_path = pg_catalog
set lock_timeout = '1s'
as $$
declare
  forgotten integer;
begin
  drop trigger if exists emails_to_bus on postrider.emails;
  drop trigger if exists email_facts_to_bus on postrider.email_facts;
  drop trigger if exists email_attempts_to_bus on postrider.email_attempts;
  delete from postrider.bus_listening;
  delete from postrider.bus_events;
  get diagnostics forgotten = row_count;
  return forgotten;
end $$;

revoke all on function postrider.listen_for_bus, postrider.leave_bus from public;
