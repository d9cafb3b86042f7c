-- What was accepted and what happened to it: insert-only, partitioned by week of acceptance.
-- oldest-code: 1

create type postrider.event_type as enum (
  'ENQUEUED', 'RECEIVED', 'VALIDATED', 'VALIDATION_FAILED', 'SENT_ATTEMPT', 'SENT', 'RETRY_SCHEDULED',
  'FAILED', 'OUTCOME_UNKNOWN', 'RELEASED', 'RESCHEDULED', 'CANCELLED', 'SUPPRESSED', 'EXPIRED', 'REQUEUED',
  'DELIVERED', 'DELAYED', 'BOUNCED', 'COMPLAINED', 'OPENED', 'CLICKED', 'UNSUBSCRIBED'
);

create type postrider.email_status as enum (
  'scheduled', 'pending', 'processing', 'sent', 'retry', 'failed', 'cancelled', 'suppressed', 'expired', 'unknown'
);

-- One row per accepted email, never updated, without its bodies.
create table postrider.emails (
  id uuid not null,
  tenant text collate "C" not null,
  type text,
  lang text,
  user_id text,
  recipient_id uuid,
  recipient_external_id text,
  to_address text not null,
  subject text not null,
  -- from, replyTo, to, cc, bcc and headers: needed only to send
  message jsonb not null,
  metadata jsonb not null default '{}',
  priority smallint not null,
  delivery text not null default 'at-least-once',
  retry text not null,
  max_attempts smallint not null,
  route text collate "C" not null,
  request_id text not null,
  scheduled_at timestamptz,
  expires_at timestamptz,
  -- codes and links: the body is hidden from operators and removed once sent
  sensitive boolean not null default false,
  -- null: came by SQL and is validated by the worker in full
  content_hash bytea,
  created_at timestamptz not null default now(),
  primary key (id)
) partition by range (id);

create index emails_tenant on postrider.emails (tenant, id);
create index emails_to on postrider.emails (to_address, id);
create index emails_user on postrider.emails (user_id, id) where user_id is not null;

create table postrider.email_bodies (
  email_id uuid not null,
  html text not null,
  text text not null,
  attachments jsonb,
  primary key (email_id)
) partition by range (email_id);

-- One row per attempt, written when it is settled, with its events as arrays.
create table postrider.email_attempts (
  email_id uuid not null,
  attempt smallint not null,
  token integer not null,
  -- the email's status after this attempt
  status postrider.email_status not null,
  final boolean not null,
  events postrider.event_type[] not null,
  offsets_ms integer[] not null,
  started_at timestamptz not null,
  duration_ms integer not null,
  route text collate "C" not null,
  provider text,
  worker integer not null,
  provider_message_id text,
  error_code text,
  error_category text,
  error_message text,
  next_attempt_at timestamptz,
  -- reply, stage, conversation, recipients: only where there is something to say
  detail jsonb,
  settled_at timestamptz not null default clock_timestamp(),
  primary key (email_id, attempt)
) partition by range (email_id);

-- dead letters and everything else that did not simply go out
create index email_attempts_unsent on postrider.email_attempts (status, email_id) where final and status <> 'sent';

-- What happens outside attempts.
create table postrider.email_facts (
  email_id uuid not null,
  fact_id uuid not null default postrider.new_id(),
  type postrider.event_type not null,
  -- the status this fact ends the email with, or null
  final_status postrider.email_status,
  detail jsonb not null default '{}',
  created_at timestamptz not null default clock_timestamp(),
  primary key (email_id, fact_id)
) partition by range (email_id);

create table postrider.emails_default partition of postrider.emails default;
create table postrider.email_bodies_default partition of postrider.email_bodies default;
create table postrider.email_attempts_default partition of postrider.email_attempts default;
create table postrider.email_facts_default partition of postrider.email_facts default;

-- lz4 compresses bodies several times faster than pglz; servers built without it keep the default.
do $$
begin
  alter table postrider.email_bodies alter column html set compression lz4;
  alter table postrider.email_bodies alter column text set compression lz4;
exception when feature_not_supported then
  null;
end $$;

-- Makes the partitions of the weeks from last week to `weeks_ahead` from now that do not exist yet.
-- Attached rather than created in place: that waits for no caller's open transaction on the parent.
create function postrider.ensure_partitions(weeks_ahead integer default 4) returns integer
language plpgsql
set search_path = pg_catalog
as $$
declare
  parent text;
  week timestamptz;
  child text;
  key text;
  low uuid;
  high uuid;
  made integer := 0;
begin
  for week in
    select generate_series(date_trunc('week', now() at time zone 'UTC') - interval '1 week',
                           date_trunc('week', now() at time zone 'UTC') + weeks_ahead * interval '1 week',
                           interval '1 week') at time zone 'UTC'
  loop
    foreach parent in array array['emails', 'email_bodies', 'email_attempts', 'email_facts'] loop
      child := parent || '_' || to_char(week at time zone 'UTC', 'YYYYMMDD');
      if to_regclass('postrider.' || child) is null then
        execute format('create table postrider.%I (like postrider.%I including all)', child, parent);
        low := postrider.id_floor(week);
        high := postrider.id_floor(week + interval '1 week');
        key := case parent when 'emails' then 'id' else 'email_id' end;
        -- What was accepted before its week was made waits in the default partition; attaching refuses while it does.
        execute format('lock table postrider.%I in access exclusive mode', parent || '_default');
        execute format('with moved as (delete from postrider.%I where %I >= %L and %I < %L returning *)
          insert into postrider.%I select * from moved', parent || '_default', key, low, key, high, child);
        execute format('alter table postrider.%I attach partition postrider.%I for values from (%L) to (%L)',
          parent, child, low, high);
        made := made + 1;
      end if;
    end loop;
  end loop;
  return made;
end $$;

select postrider.ensure_partitions();
