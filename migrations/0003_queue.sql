-- The hot part: a tiny row per email that still has to go, who works on it, and what is paused.
-- oldest-code: 1

create table postrider.email_queue (
  id uuid primary key,
  -- when a waiting row becomes ready; null while it is ready, claimed or suspect
  due_at timestamptz,
  expires_at timestamptz,
  claimed_at timestamptz,
  -- raised by every claim and takeover; what names another token changes nothing
  token integer not null default 0,
  owner integer,
  -- size of the content, so that bodies are fetched by a byte budget
  bytes integer not null default 0,
  -- attempts that count so far
  attempt smallint not null default 0,
  max_attempts smallint not null,
  priority smallint not null,
  -- times a worker died with this email alone in its hands
  crashes smallint not null default 0,
  ready boolean not null,
  begun boolean not null default false,
  -- was in the hands of a worker that died: tried alone
  suspect boolean not null default false,
  -- its one attempt of now is made with nothing beside it
  alone boolean not null default false,
  -- waits for a time that was asked for, not for a retry
  scheduled boolean not null default false,
  -- set aside by a pause until it is lifted
  parked boolean not null default false,
  -- the pause that holds it, as scope:value
  parked_by text collate "C",
  at_most_once boolean not null default false,
  possible_duplicate boolean not null default false,
  -- one row per accepting statement rings
  bell boolean not null default true,
  route text collate "C" not null,
  tenant text collate "C" not null,
  -- recipients still to be reached; null: all
  remaining text[]
) with (
  fillfactor = 70,
  autovacuum_vacuum_threshold = 1000,
  autovacuum_vacuum_scale_factor = 0,
  autovacuum_vacuum_cost_delay = 0,
  vacuum_truncate = off
);

-- Workers keep their statements planned. A plan made while the queue is a page or two reads all of it, and
-- goes on doing so when a million rows come: so the queue has some pages from the start and keeps them.
insert into postrider.email_queue (id, max_attempts, priority, ready, bell, route, tenant, remaining)
select postrider.new_id(), 1, 1, false, false, '', '', array[repeat('x', 1700)] from generate_series(1, 600);
delete from postrider.email_queue;

-- equals the order of the claim
create index email_queue_ready on postrider.email_queue (route, priority, tenant, id) where ready;
create index email_queue_due on postrider.email_queue (due_at) where due_at is not null;
create index email_queue_expiring on postrider.email_queue (expires_at) where expires_at is not null;
create index email_queue_owner on postrider.email_queue (owner) where owner is not null;
create index email_queue_suspect on postrider.email_queue (route, id) where suspect and owner is null;
create index email_queue_parked on postrider.email_queue (parked_by, id) where parked;

-- One row per worker process ever started; `lease` is the fence of the whole process.
create table postrider.workers (
  id integer generated always as identity primary key,
  instance text not null,
  host text not null,
  pid integer not null,
  lease integer not null default 1,
  -- true behind a pooler that shares sessions: then only the beat tells
  shared_session boolean not null default false,
  server_started_at timestamptz not null default pg_postmaster_start_time(),
  started_at timestamptz not null default clock_timestamp(),
  beat_at timestamptz not null default clock_timestamp(),
  -- stopped by itself, or taken over
  ended_at timestamptz
) with (fillfactor = 50, autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

create index workers_alive on postrider.workers (id) where ended_at is null;

create table postrider.pauses (
  scope text not null check (scope in ('all', 'tenant', 'type', 'route')),
  value text not null default '',
  reason text,
  created_by text,
  created_at timestamptz not null default now(),
  primary key (scope, value)
);

-- Rings at commit. Coalesced by a try-lock: a NOTIFY in every transaction would serialise commits.
create function postrider.ring_bell() returns trigger
language plpgsql
set search_path = pg_catalog
as $$
begin
  if pg_try_advisory_xact_lock(7707, 1) then
    perform pg_notify('postrider_bell', '');
  end if;
  return null;
end $$;

create constraint trigger email_queue_bell
  after insert on postrider.email_queue
  deferrable initially deferred
  for each row when (new.ready and new.bell)
  execute function postrider.ring_bell();
