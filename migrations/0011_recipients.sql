-- What is known of a tenant's people beyond their address: the days they came, what they did, and the ways to find them.
-- oldest-code: 1

-- The day of the last check-in where the person lives; what `today` is compared with.
alter table postrider.recipients add column last_check_in_on date;

-- Rows written by hand may share an address; all but the first get an id of their own, and so stay.
update postrider.recipients r set external_id = 'recipient:' || r.id
where r.external_id is null and r.deleted_at is null and exists (
  select 1 from postrider.recipients o where o.tenant = r.tenant and lower(o.email) = lower(r.email)
    and o.external_id is null and o.deleted_at is null and o.id < r.id
);

-- One live row per address among those the application has given no id of its own, so that two imports at once agree.
create unique index recipients_email_only on postrider.recipients (tenant, lower(email))
  where external_id is null and deleted_at is null;

-- a page of a tenant's people, in the order they came
create index recipients_page on postrider.recipients (tenant, id) where deleted_at is null;

-- What campaigns look for: those of one status and time zone, in pages by id; the columns that decide ride along.
create index recipients_audience on postrider.recipients (tenant, status, time_zone, id)
  include (account_type, last_check_in_on, last_active_at, streak_days) where deleted_at is null;
-- those idle since a day, and those with a streak: few among many
create index recipients_idle on postrider.recipients (tenant, last_active_at, id)
  where deleted_at is null and status = 'active';
create index recipients_streak on postrider.recipients (tenant, time_zone, last_check_in_on, id)
  where deleted_at is null and streak_days >= 3;

-- One row per person and day on which they checked in; their streak is counted from it.
create table postrider.recipient_check_ins (
  recipient_id uuid not null references postrider.recipients (id) on delete cascade,
  day date not null,
  checked_in_at timestamptz not null,
  primary key (recipient_id, day)
);

-- What a person did, per day and kind; `count` is how often it was reported.
create table postrider.recipient_activities (
  recipient_id uuid not null references postrider.recipients (id) on delete cascade,
  day date not null,
  kind text collate "C" not null,
  count integer not null default 1,
  last_at timestamptz not null,
  primary key (recipient_id, day, kind)
);

create index recipient_activities_age on postrider.recipient_activities (day);

-- The given keys over those there are; a key given as null goes.
create function postrider.merge_keys(base jsonb, given jsonb) returns jsonb
language sql immutable parallel safe
set search_path = pg_catalog
as $$
  select case when given is null or given = 'null'::jsonb then base
    else (base || given) - coalesce((select array_agg(key) from jsonb_each(given) where value = 'null'::jsonb), '{}') end
$$;

-- Whether this server can tell the time there: a name it does not know would fail every statement that uses it.
create function postrider.is_time_zone(zone text) returns boolean
language plpgsql stable
set search_path = pg_catalog
as $$
begin
  perform now() at time zone zone;
  return true;
exception when invalid_parameter_value then
  return false;
end $$;
