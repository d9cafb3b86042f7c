-- How often one recipient may get a type of email.
-- oldest-code: 1

-- What was set at run time; what code declares holds where there is no row.
create table postrider.rate_limits (
  -- '' for every tenant
  tenant text collate "C" not null default '',
  type text collate "C" not null,
  -- null: no limit
  max_emails integer check (max_emails between 1 and 1000),
  -- null: counted for ever
  window_seconds integer check (window_seconds > 0),
  updated_at timestamptz not null default now(),
  primary key (tenant, type)
);

-- One row per email counted: the number of rows of a window is its count. Slots are numbered so that parallel callers
-- take different ones by try-lock, where a counter would make them wait for each other's transactions.
create table postrider.rate_limit_slots (
  tenant text collate "C" not null,
  -- a keyed hash; the address itself is not stored here
  recipient bytea not null,
  type text collate "C" not null,
  window_start timestamptz not null,
  slot integer not null,
  -- null: never
  expires_at timestamptz,
  primary key (tenant, recipient, type, window_start, slot)
);

create index rate_limit_slots_expiry on postrider.rate_limit_slots (expires_at) where expires_at is not null;

-- Rises with every change to limits and quotas, in the same transaction: one small row tells every process whether
-- to read them again.
create table postrider.policy_revision (
  single boolean primary key default true check (single),
  revision integer not null
);

insert into postrider.policy_revision (revision) values (1);
