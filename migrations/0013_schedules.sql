-- Recurring emails: what fires when, each firing with how far it has come, and who was written to last.
-- oldest-code: 1

-- Definitions live in code and settings; here is what was last said of them, and whether they are paused.
create table postrider.schedules (
  name text collate "C" primary key,
  -- null: only when told to
  cron text,
  -- an IANA name, or `recipient`: a firing for every zone people live in
  time_zone text not null,
  catch_up text not null check (catch_up in ('none', 'last', 'all')),
  paused_at timestamptz,
  defined_at timestamptz not null default clock_timestamp()
);

-- Nothing from before this is fired: when the zone was first seen, the schedule changed, or a pause ended.
create table postrider.schedule_zones (
  schedule text collate "C" not null,
  zone text collate "C" not null,
  fires_after timestamptz not null,
  primary key (schedule, zone)
);

-- One row per firing. Whoever holds its lock takes the next page; what is open when a process dies, another goes on with.
create table postrider.schedule_runs (
  id uuid primary key,
  schedule text collate "C" not null,
  zone text collate "C" not null,
  slot timestamptz not null,
  -- told to, not due
  manual boolean not null default false,
  state text not null default 'running' check (state in ('running', 'done', 'failed', 'expired')),
  -- everyone up to here is done with; null: nobody yet
  cursor text,
  -- how many there are to look at, where it is known
  total bigint,
  looked_at bigint not null default 0,
  queued bigint not null default 0,
  skipped jsonb not null default '{}',
  error_count bigint not null default 0,
  -- the first of them
  errors jsonb not null default '[]',
  -- times in a row that a page could not be done, and why
  failures integer not null default 0,
  last_error text,
  -- left to the process that is at it until then
  resume_at timestamptz not null default clock_timestamp(),
  started_at timestamptz not null default clock_timestamp(),
  finished_at timestamptz,
  unique (schedule, zone, slot)
) with (fillfactor = 50);

create index schedule_runs_open on postrider.schedule_runs (schedule, zone, slot) where state = 'running';

-- The slot for which a person was last written to, per schedule: once per run, and not again before.
create table postrider.schedule_marks (
  schedule text collate "C" not null,
  -- a recipient's id, or the hash of a key of the application's own
  recipient text collate "C" not null,
  slot timestamptz not null,
  primary key (schedule, recipient)
) with (fillfactor = 80);

-- the people of one time zone, in pages
create index recipients_by_zone on postrider.recipients (time_zone, id) where deleted_at is null;
