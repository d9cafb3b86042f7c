-- Ids that sort by time, and the people emails are sent to.
-- oldest-code: 1

-- UUIDv7 made in the database, for emails accepted by accept_v1.
create function postrider.new_id() returns uuid
language sql volatile parallel safe
set search_path = pg_catalog
as $$
  select encode(
    set_bit(set_bit(
      overlay(uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1), 53, 1),
    'hex')::uuid
$$;

-- The smallest id an email accepted at this moment can have: the bound between two partitions.
create function postrider.id_floor(at timestamptz) returns uuid
language sql immutable parallel safe
set search_path = pg_catalog
as $$
  select (lpad(to_hex((extract(epoch from at) * 1000)::bigint), 12, '0') || repeat('0', 20))::uuid
$$;

create table postrider.recipients (
  id uuid primary key default postrider.new_id(),
  tenant text collate "C" not null,
  external_id text,
  email text not null,
  name text,
  language text,
  time_zone text,
  status text not null default 'active',
  account_type text,
  preferences jsonb not null default '{}',
  attributes jsonb not null default '{}',
  last_check_in_at timestamptz,
  last_active_at timestamptz,
  streak_days integer not null default 0,
  reminder_frequency text,
  last_reminder_sent_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);

create unique index recipients_external_id on postrider.recipients (tenant, external_id)
  where external_id is not null and deleted_at is null;
create index recipients_email on postrider.recipients (tenant, lower(email)) where deleted_at is null;
